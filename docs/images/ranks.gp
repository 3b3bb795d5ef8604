# Draws ranks.svg of ranks.dat, in the style of `oplus bench --plot`:  cd docs/images && gnuplot ranks.gp
set terminal svg size 1000,470 dynamic font 'sans,17' background 'white'
set output 'ranks.svg'
set encoding utf8
set logscale x 2
set format x '2^{%L}'
set grid xtics ytics back lt 1 lc rgb '#e4e4e4' lw 1
set border 3 lc rgb '#444444'
set tics nomirror scale 0.5
set xtics 4
set xlabel 'elements, on all ranks'
set ylabel 'efficiency, S / p'
set yrange [0:2.5]
set arrow from graph 0, first 1 to graph 1, first 1 nohead dt (8,6) lw 2 lc rgb '#000000' back
set key top left Left reverse samplen 2
set style line 1 lc rgb '#D55E00' lw 3 pt 7 ps 0.8
set style line 2 lc rgb '#0072B2' lw 3 pt 5 ps 0.8
set style line 3 lc rgb '#009E73' lw 3 pt 9 ps 1.0
set style line 4 lc rgb '#CC79A7' lw 3 pt 13 ps 1.0
ranks = "2 4 8 16"
set multiplot layout 1,2
do for [part in "0 1"] {
    set title (part eq "0" ? 'reduce, f32 sum' : 'scan, f32 sum')
    plot for [k=1:4] 'ranks.dat' index int(part) using 1:k+1 with linespoints ls k title word(ranks, k).' ranks'
}
unset multiplot
