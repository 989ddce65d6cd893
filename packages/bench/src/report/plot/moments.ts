import type { Axis } from '../axis.ts'
import { escapeHtml } from '../escape-html.ts'
import type { FigureMoment } from '../figure.ts'
import { type Frame, horizontal } from './frame.ts'
import { text } from './svg-text.ts'

/** Longest name that is drawn, in characters. */
const longestName = 40
/** Names of lines that stand close to each other are on different heights. */
const heights = 3
const lineHeight = 16

/** Lines from top to bottom where something happened. A narrow drawing has them without names. */
export function momentLines(frame: Frame, axis: Axis, moments: readonly FigureMoment[]): string {
  return moments.map((moment, index) => momentLine(frame, axis, moment, index)).join('')
}

function momentLine(frame: Frame, axis: Axis, { at, name }: FigureMoment, index: number): string {
  const x = horizontal(frame, axis, at)
  const line = `<path d="M${x} ${frame.top}V${frame.bottom}"/>`
  const words = frame.size.hasEndLabels ? nameAt(frame, x, shortened(name), index) : ''
  return `<g class="moment">${line}${words}<title>${escapeHtml(name)}</title></g>`
}

/** On the side of the line with more room. */
function nameAt({ left, right, top }: Frame, x: number, name: string, index: number): string {
  const y = top + 14 + (index % heights) * lineHeight
  return x > (left + right) / 2 ? text(x - 6, y, name, 'end') : text(x + 6, y, name, 'start')
}

function shortened(name: string): string {
  return name.length > longestName ? `${name.slice(0, longestName - 1)}…` : name
}
