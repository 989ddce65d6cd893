# Draws the figures of this folder: run `gnuplot plots.gp` here.
set terminal svg size 900,600 dynamic background rgb 'white'
set grid xtics ytics
set key outside right top

set output 'rate-over-time.svg'
set title 'Operations a second' noenhanced
set xlabel 'time (seconds)' noenhanced
unset logscale x
set format x "%g"
set xrange [0:*]
set ylabel 'operations a second' noenhanced
unset logscale y
set format y "%g"
set yrange [0:*]
unset arrow
plot 'rate-over-time.dat' using 1:2 with linespoints linecolor 1 title 'memory' noenhanced

set output 'p99-over-time.svg'
set title 'The slowest one per cent' noenhanced
set xlabel 'time (seconds)' noenhanced
unset logscale x
set format x "%g"
set xrange [0:*]
set ylabel 'p99 of a second (ms)' noenhanced
set logscale y
set format y "10^{%T}"
set yrange [*:*]
unset arrow
plot 'p99-over-time.dat' using 1:2 with linespoints linecolor 1 title 'memory' noenhanced

set output 'percentiles-wait.svg'
set title 'wait' noenhanced
set xlabel 'percentile' noenhanced
set logscale x
set format x "10^{%T}"
set xrange [*:*]
set ylabel 'time of an operation (ms)' noenhanced
set logscale y
set format y "10^{%T}"
set yrange [*:*]
unset arrow
plot 'percentiles-wait.dat' using 1:2 with linespoints linecolor 1 title 'memory' noenhanced
