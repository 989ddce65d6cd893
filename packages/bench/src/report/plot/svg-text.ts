import { escapeHtml } from '../escape-html.ts'

/** A text at a place; `kind` is its class. */
export function text(x: number, y: number, content: string, kind: string): string {
  return `<text class="${kind}" x="${x}" y="${y}">${escapeHtml(content)}</text>`
}

/** A coordinate, with one decimal. */
export function round(value: number): number {
  return Math.round(value * 10) / 10
}
