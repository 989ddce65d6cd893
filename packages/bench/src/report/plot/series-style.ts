import type { FigureSeries } from '../figure.ts'

/** Whether a series has a name of its own; the others only accompany one that has. */
export function isNamed({ style }: FigureSeries): boolean {
  return style === 'line' || style === 'dashed'
}

/** CSS colour of a series. */
export function colourOf({ colour }: FigureSeries): string {
  if ('category' in colour) return `var(--series-${colour.category % 8})`
  return `color-mix(in oklch, var(--ramp-end) ${Math.round(colour.ramp * 100)}%, var(--ramp-start))`
}
