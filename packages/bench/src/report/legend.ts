import { escapeHtml } from './escape-html.ts'
import type { FigureSeries } from './figure.ts'
import { markShape } from './mark.ts'
import { colourOf, isNamed } from './plot/series-style.ts'

/** The names of a figure's curves with a sample of each; thin lines and rings share one entry each. */
export function legend(series: readonly FigureSeries[]): string {
  const lines = series.map((one, index) => ({ one, index })).filter(({ one }) => isNamed(one))
  const items = lines.map(({ one, index }) => item(one.name, colourOf(one), sample(one, index)))
  const extras = [
    { style: 'thin', name: 'model of the paper', drawing: '<path class="curve thin" d="M1 7H33"/>' },
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
