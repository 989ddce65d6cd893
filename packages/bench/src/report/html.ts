import type { FigureSeries } from './figure.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text as it may stand in HTML and SVG, attribute values included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] as string)
}

/**
 * A table whose first column names the rows. Cells are HTML already.
 *
 * @param told what is told of each row, as a line of its own below it; empty: nothing
 */
export function htmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  told: readonly string[] = [],
): string {
  const headCells = head.map((cell) => `<th scope="col">${escapeHtml(cell)}</th>`).join('')
  const below = (text: string | undefined): string =>
    text === undefined || text === ''
      ? ''
      : `<tr class="told"><td colspan="${head.length}"><div>${text}</div></td></tr>`
  const body = rows.map(
    ([name = '', ...cells], i) =>
      `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>${below(told[i])}`,
  )
  return `<div class="scroll"><table><caption>${escapeHtml(caption)}</caption><thead><tr>${headCells}</tr></thead><tbody>${body.join('')}</tbody></table></div>`
}

/** A text at a place; `kind` is its class. */
export function text(x: number, y: number, content: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escapeHtml(content)}</text>`
}

/** A coordinate, with one decimal. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Whether a series has a name of its own; the others only accompany one that has. */
export function isNamed({ style }: FigureSeries): boolean {
  return style === 'line' || style === 'dashed'
}

/** CSS colour of a series. */
export function colourOf({ colour }: FigureSeries): string {
  if ('category' in colour) return `var(--series-${colour.category % 8})`
  return `color-mix(in oklch, var(--ramp-end) ${Math.round(colour.ramp * 100)}%, var(--ramp-start))`
}

const shapes = [
  '<circle r="4"/>',
  '<rect x="-3.7" y="-3.7" width="7.4" height="7.4"/>',
  '<path d="M0 -5L4.7 3.4H-4.7Z"/>',
  '<path d="M0 -5.3L5.3 0L0 5.3L-5.3 0Z"/>',
  '<path d="M0 5L4.7 -3.4H-4.7Z"/>',
  '<path d="M-1.5 -5H1.5V-1.5H5V1.5H1.5V5H-1.5V1.5H-5V-1.5H-1.5Z"/>',
]

/** Mark of a series by its number, so that curves differ without colour too. Centred at the origin of its group. */
export function markShape(index: number, isHollow = false): string {
  const shape = shapes[index % shapes.length] as string
  return shape.replace(' ', ` class="${isHollow ? 'mark hollow' : 'mark'}" `)
}

/** The names of a figure's curves with a sample of each; thin lines and rings share one entry each. */
export function legend(series: readonly FigureSeries[]): string {
  const lines = series.map((one, index) => ({ one, index })).filter(({ one }) => isNamed(one))
  const items = lines.map(({ one, index }) => item(one.name, colourOf(one), sample(one, index)))
  const extras = [
    {
      style: 'thin',
      name: 'extrapolated as in the paper',
      drawing: '<path class="curve thin" d="M1 7H33"/>',
    },
    { style: 'marks', name: 'measured', drawing: '<circle class="ring" cx="17" cy="7" r="5"/>' },
  ].filter(({ style }) => series.some((one) => one.style === style))
  return `<ul class="legend">${[...items, ...extras.map(({ name, drawing }) => item(name, 'var(--soft)', drawing))].join('')}</ul>`
}

function item(name: string, colour: string, drawing: string): string {
  return `<li><svg viewBox="0 0 34 14" aria-hidden="true" style="--c:${colour}">${drawing}</svg>${escapeHtml(name)}</li>`
}

function sample({ style }: FigureSeries, index: number): string {
  const isDashed = style === 'dashed'
  return `<path class="curve${isDashed ? ' dashed' : ''}" d="M1 7H33"/><g transform="translate(17 7)">${markShape(index, isDashed)}</g>`
}
