import { createCipheriv } from 'node:crypto'
import {
  type Bytes,
  compose,
  type KeyValueBase,
  keyValue,
  type Mutation,
  passThrough,
  type Read,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions, isUserKey } from '@unikv/core/adapter'
import { memory } from '@unikv/core/memory'
import { type PartsOptions, parts, readStream, type StreamedValue } from '../src/index.ts'

/** Bytes without a pattern, the same in each run. */
export function noise(length: number, seed = 1): Buffer {
  const cipher = createCipheriv('aes-128-ctr', Buffer.alloc(16, seed), Buffer.alloc(16))
  return cipher.update(Buffer.alloc(length))
}

/** A store below the layer that tells of its calls before it takes them. A hook may throw. */
export interface Watched {
  onRead: (reads: readonly Read[]) => unknown
  onWrite: (mutations: readonly Mutation<Bytes>[]) => unknown
}

/** Parts of 100 bytes over memory, watched below. */
export function opened(options: PartsOptions = {}, clock: () => number = Date.now) {
  const hooks: Watched = { onRead: () => {}, onWrite: () => {} }
  const watching = passThrough('watching', {
    wrap: (inner) => ({
      read: async (reads, call) => {
        await hooks.onRead(reads)
        return inner.read(reads, call)
      },
      write: async (mutations, call) => {
        await hooks.onWrite(mutations as readonly Mutation<Bytes>[])
        return inner.write(mutations, call)
      },
    }),
  })
  const layer = parts({ above: 100, size: 100, clock, ...options })
  const below = compose(memory({ clock }), [watching])
  const kv = keyValue(below, [layer], { clock })
  /** Of another process: its calls do not wait for those of the first. */
  const other = keyValue(below, [parts({ above: 100, size: 100, clock, ...options })], { clock })
  return { kv, other, hooks, below, layer, keys: () => keysIn(below) }
}

/** All keys of the store below: of users, and of parts. */
async function keysIn(below: Store<Bytes>): Promise<{ users: string[]; parts: string[] }> {
  const keys: string[] = []
  for await (const page of below.scan({ prefix: '', pageSize: 1000, values: false }, callOptions()))
    keys.push(...page.entries.map(({ key }) => key))
  return { users: keys.filter(isUserKey), parts: keys.filter((key) => !isUserKey(key)) }
}

/** A source of bytes in pieces, which notes how many were asked for. */
export async function* pieces(bytes: Uint8Array, size = 37): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

/** All that comes. */
export async function listOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

/** All bytes of a stream. */
export async function bytesOf(body: ReadableStream<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await listOf(body as unknown as AsyncIterable<Uint8Array>))
}

/** The body of a stream that is there. */
export async function bodyOf(found: Promise<StreamedValue | undefined>): Promise<ReadableStream<Uint8Array>> {
  const { body } = (await found) as StreamedValue
  return body
}

/** The value of a key by `readStream`. */
export async function streamedFrom(
  kv: KeyValueBase<string, Uint8Array>,
  key: string,
): Promise<Buffer | undefined> {
  const found = await readStream(kv, key)
  return found === undefined ? undefined : bytesOf(found.body)
}

/** What a process that died would have sent never arrives. */
export function dying(after: number): () => void {
  let left = after
  return () => {
    if (left-- <= 0) throw new StoreError('UNAVAILABLE', 'The process is gone.')
  }
}
