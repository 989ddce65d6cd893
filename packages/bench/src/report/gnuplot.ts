import type { Figure, FigureAxis, FigureSeries } from './figure.ts'
import { sizeAxis } from './plot/axes.ts'

/** A script that draws every figure into an SVG file beside the data: `gnuplot plots.gp` in the result folder. */
export function gnuplotScript(figures: readonly Figure[]): string {
  return `${[
    '# Draws the figures of this folder: run `gnuplot plots.gp` here.',
    "set terminal svg size 900,600 dynamic background rgb 'white'",
    'set grid xtics ytics',
    'set key outside right top',
    ...figures.flatMap(figureCommands),
  ].join('\n')}\n`
}

function figureCommands({ id, title, yLabel, series, moments = [], x = sizeAxis, y }: Figure): string[] {
  return [
    '',
    `set output ${quoted(`${id}.svg`)}`,
    `set title ${quoted(title)} noenhanced`,
    ...axisCommands('x', x.title, x.scale),
    ...axisCommands('y', y?.title ?? `${yLabel} (ms)`, y?.scale ?? 'log', series.some(isBelowZero)),
    'unset arrow',
    ...moments.map(
      ({ at }) => `set arrow from first ${at}, graph 0 to first ${at}, graph 1 nohead dashtype 2`,
    ),
    `plot ${series.map((one) => curve(one, colourNumber(one, series))).join(', \\\n     ')}`,
  ]
}

function isBelowZero({ table, column }: FigureSeries): boolean {
  return table.rows.some((row) => (row[column] ?? 0) < 0)
}

function axisCommands(
  axis: 'x' | 'y',
  title: string,
  scale: FigureAxis['scale'],
  goesBelowZero: boolean = false,
): string[] {
  return [
    `set ${axis}label ${quoted(title)} noenhanced`,
    scale === 'log' ? `set logscale ${axis}` : `unset logscale ${axis}`,
    `set format ${axis} "${scale === 'log' ? '10^{%T}' : '%g'}"`,
    `set ${axis}range [${scale === 'log' || goesBelowZero ? '*' : '0'}:*]`,
  ]
}

function curve({ name, table, column, halfWidthColumn, style }: FigureSeries, colour: number): string {
  // a single run has no half-width: its value is drawn without a bar, not left out
  const bar =
    halfWidthColumn === undefined ? '' : `:(valid(${halfWidthColumn + 1}) ? $${halfWidthColumn + 1} : 0)`
  const shape = bar === '' ? shapes[style] : 'yerrorlines'
  const columns = `1:${column + 1}${bar}`
  const dashes = { line: '', marks: '', dashed: ' dashtype 2', thin: ' dashtype 3' }[style]
  return `${quoted(`${table.name}.dat`)} using ${columns} with ${shape} linecolor ${colour}${dashes} title ${quoted(name)} noenhanced`
}

/** Curves of one colour in the report share one here. */
function colourNumber({ colour }: FigureSeries, series: readonly FigureSeries[]): number {
  if ('category' in colour) return colour.category + 1
  const ramps = [...new Set(series.flatMap((one) => ('ramp' in one.colour ? [one.colour.ramp] : [])))]
  return ramps.indexOf(colour.ramp) + 1
}

const shapes = { line: 'linespoints', dashed: 'linespoints', thin: 'lines', marks: 'points' } as const

/** Single quotes take everything as it is; one inside is written twice. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
