/* reduce, then scan, on doubles
 *
 * Changes: All that the ladder above has found: several elements an item, warps, staging (padded after every 16th, for
 * a double takes two banks), sums before scans.
 *
 * Why: Little is left to do besides moving bytes: see whether it hides behind them in this precision too. For sums
 * that round, the order of additions is another than in the rung before, and so would be the last bits. */
#like 07-reduce-first.cl
#swap KERNEL reduce => #ifdef cl_khr_fp64\n#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#endif\n\nKERNEL reduce
#swap ARRAY(const uint => ARRAY(const double
#swap ARRAY(uint => ARRAY(double
#swap SHARED uint => SHARED double
#swap uint own => double own
#swap uint x => double x
#swap uint before => double before
#swap PADDED( => PADDED_DOUBLES(
