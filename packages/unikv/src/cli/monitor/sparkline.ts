const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']

/** Numbers from 0 as a line of bars, the highest one full. */
export function sparkline(values: readonly number[]): string {
  const highest = Math.max(...values)
  return values
    .map((value) => bars[highest === 0 ? 0 : Math.round((value / highest) * (bars.length - 1))])
    .join('')
}
