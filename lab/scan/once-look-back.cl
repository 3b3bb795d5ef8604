/* looking back
 *
 * Changes: A tile publishes its own sum at once, and what precedes it later. A warp looks back over 32 tiles at a time,
 * adds the sums that it finds, and stops at the first tile that knows what precedes it.
 *
 * Why: A tile waits no longer until the tile before has finished, only until the 32 before have been summed up (D. Merrill
 * and M. Garland, Single-pass parallel prefix scan with decoupled look-back, 2016). Still slow: everybody stands still
 * during the look-back, and how far back that goes is left to chance. */
#like once-chained.cl
#swap     if (self == 0) {\n        uint sum = 0; =>     if (self < WARP) {\n        uint sum = 0, behind = 0;
#swap         ulong state = 0;\n => 
#swap         for (uint waited = 0; mine > 0 && waited < PATIENCE && (state >> 32) != launch; waited++)\n            state = states[mine - 1];\n        precedes = (uint)state;\n        states[mine] = (ulong)launch << 32 | (uint)(precedes + sum);\n =>         if (lane == 0)\n            states[mine] = (ulong)launch << 32 | sum;\n        for (uint end = mine, known = 0; end > 0; end = known || end < WARP ? 0 : end - WARP) {\n            ulong state = 0;\n            for (uint waited = 0; lane < end && waited < PATIENCE && ((state >> 32) & 0x7fffffff) != launch; waited++)\n                state = states[end - 1 - lane];\n            known = LANES_WITH(state >> 63);\n            const uint nearest = known ? FIRST_OF(known) : WARP - 1;\n            uint found = lane <= nearest ? (uint)state : 0;\n            UNROLLED for (uint by = WARP / 2; by > 0; by /= 2)\n                found += SHUFFLE_DOWN(found, by);\n            behind += found;\n        }\n        if (lane == 0) {\n            precedes = behind;\n            states[mine] = (ulong)(launch | 0x80000000u) << 32 | (uint)(behind + sum);\n        }\n
