import type { BusWrite } from './bus.ts'

/** A message of one process to all. */
export interface Message {
  readonly from: string
  /** Counts the messages of the sender, from 1. */
  readonly number: number
  readonly news: News
}

/** Keys that were written, tags that were invalidated, or that anything may have been written, or a ping. */
export type News =
  | { readonly writes: readonly BusWrite[] }
  | { readonly tags: readonly string[] }
  | { readonly all: true }
  | { readonly echo: number }

/*
 * JSON, format 1: [1, from, number, [[key, version or null] …] | "all" | echo]
 *       format 2: [2, from, number, [tag …]]
 */

const format = 1
const tagFormat = 2

/** The message as text. */
export function encodeMessage({ from, number, news }: Message): string {
  return JSON.stringify(['tags' in news ? tagFormat : format, from, number, bodyOf(news)])
}

/** The message of a text; `undefined` if it is none. */
export function decodeMessage(text: string): Message | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!Array.isArray(parsed) || parsed.length !== 4) return undefined
  const [as, from, number, body] = parsed as unknown[]
  const news = as === tagFormat ? tagNewsOf(body) : as === format ? newsOf(body) : undefined
  if (typeof from !== 'string' || !isCount(number) || news === undefined) return undefined
  return { from, number, news }
}

function bodyOf(news: News): unknown {
  if ('tags' in news) return news.tags
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

function tagNewsOf(body: unknown): News | undefined {
  const isTags = Array.isArray(body) && body.every((tag) => typeof tag === 'string')
  return isTags ? { tags: body } : undefined
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
