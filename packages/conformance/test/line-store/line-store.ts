import type { Bytes, CallOptions, Capabilities, Page, ReadResult, Store, WriteResult } from '@unikv/core'
import { attempt, Opening, unanswered, unreachable } from '@unikv/core/adapter'
import { type MemoryStore, memory } from '@unikv/core/memory'
import { Line } from './line.ts'
import type { Question } from './line-server.ts'

const { capabilities: inMemory } = memory() satisfies MemoryStore

const capabilities: Capabilities = {
  ...inMemory,
  batch: { atomicity: 'none', maxItems: 50, maxBytes: 10_000_000, coalesce: { min: 2, max: 16 } },
  sync: 'none',
}

/** How a client of the line server asks one question; the broken ones do it in other ways. */
export type Ask = (client: LineClient, question: Question, call: CallOptions) => Promise<unknown>

/** What a client has at hand. */
export interface LineClient {
  readonly url: string
  /** The connection, opened if there is none. */
  connection(call: CallOptions): Promise<Line>
  /** Forget the connection: the next call opens another. */
  hangUp(): Promise<void>
}

/** A sound client of `lineServer`: one connection, opened when it is needed, and nothing is sent twice. */
export function lineStore(
  url: string,
  ask: Ask = askOnce,
  close?: (client: LineClient) => Promise<void>,
): Store<Bytes> {
  let opening = openingOf(url)
  const client: LineClient = {
    url,
    connection: async (call) => {
      if (opening.ready?.isOver === true) await client.hangUp()
      return opening.opened(call)
    },
    hangUp: async () => {
      const old = opening
      opening = openingOf(url)
      await old.close()
    },
  }
  const closed = async (): Promise<void> => (close === undefined ? opening.close() : close(client))
  return {
    name: 'line',
    capabilities,
    native: undefined,
    read: (items, call) =>
      ask(client, { verb: 'read', items }, call) as Promise<readonly ReadResult<Bytes>[]>,
    write: (items, call) => ask(client, { verb: 'write', items }, call) as Promise<readonly WriteResult[]>,
    scan: async function* (range, call) {
      for (let resume = range.resume; ; ) {
        const question: Question = { verb: 'scan', range: { ...range, resume } }
        const page = (await ask(client, question, call)) as Page<Bytes>
        yield page
        resume = page.resume
        if (resume === undefined) return
      }
    },
    close: closed,
  }
}

/** Send the question once, and wait no longer than the call does. */
export const askOnce: Ask = async (client, question, call) => {
  const isWrite = question.verb === 'write'
  const line = await client.connection(call)
  return attempt(call, isWrite, () => {
    call.sent = true
    return line.ask(question).catch((cause: unknown) => {
      throw unanswered(client.url, isWrite, cause)
    })
  })
}

function openingOf(url: string): Opening<Line> {
  return new Opening(
    () =>
      Line.open(url).catch((cause: unknown) => {
        throw unreachable(url, cause)
      }),
    async (line) => line.destroy(),
  )
}
