/* Lists of the inputs a, b, ... of a function, of which there are OPI_INPUTS. */

/* F(a) N(b) N(c) ...: F of the first input, N of the others. */
#define OPI_EACH_0(F, N)
#define OPI_EACH_1(F, N) F(a)
#define OPI_EACH_2(F, N) OPI_EACH_1(F, N) N(b)
#define OPI_EACH_3(F, N) OPI_EACH_2(F, N) N(c)
#define OPI_EACH_4(F, N) OPI_EACH_3(F, N) N(d)
#define OPI_EACH_5(F, N) OPI_EACH_4(F, N) N(e)
#define OPI_EACH_6(F, N) OPI_EACH_5(F, N) N(f)
#define OPI_EACH_7(F, N) OPI_EACH_6(F, N) N(g)
#define OPI_EACH_8(F, N) OPI_EACH_7(F, N) N(h)
#define OPI_PASTE_(a, b) a##b
#define OPI_PASTE(a, b)  OPI_PASTE_(a, b)
#define OPI_EACH(F)      OPI_PASTE(OPI_EACH_, OPI_INPUTS)(F, F)
#define OPI_EACH_OTHERWISE(F, N)   OPI_PASTE(OPI_EACH_, OPI_INPUTS)(F, N)
