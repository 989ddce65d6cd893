import type { BusWrite } from './bus.ts'

/** What one process tells all. */
export interface Message {
  readonly from: string
  /** Counts the messages of the sender, from 1. */
  readonly number: number
  readonly news: News
}

/** Keys that were written, or that anything may have been, or a ping. */
export type News =
  | { readonly writes: readonly BusWrite[] }
  | { readonly all: true }
  | { readonly echo: number }

/*
 * JSON, format 1: [1, from, number, [[key, version or null] …] | "all" | echo]
 */

const format = 1

/** The message as text. */
export function encodeMessage({ from, number, news }: Message): string {
  return JSON.stringify([format, from, number, bodyOf(news)])
}

/** The message of a text; `undefined` if it is none. */
export function decodeMessage(text: string): Message | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(parsed) || parsed.length !== 4 || parsed[0] !== format) return undefined
  const [, from, number, body] = parsed as unknown[]
  const news = newsOf(body)
  if (typeof from !== 'string' || !isCount(number) || news === undefined) return undefined
  return { from, number, news }
}

function bodyOf(news: News): unknown {
  if ('writes' in news) return news.writes.map(({ key, version }) => [key, version ?? null])
  return 'echo' in news ? news.echo : 'all'
}

function newsOf(body: unknown): News | undefined {
  if (body === 'all') return { all: true }
  if (isCount(body)) return { echo: body }
  if (!Array.isArray(body)) return undefined
  const writes: BusWrite[] = []
  for (const item of body as unknown[]) {
    const [key, version] = Array.isArray(item) ? (item as unknown[]) : []
    if (typeof key !== 'string' || (version !== null && typeof version !== 'string')) return undefined
    writes.push({ key, version: version ?? undefined })
  }
  return { writes }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
