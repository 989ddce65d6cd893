import { workerData } from 'node:worker_threads'
import {
  type Bytes,
  isEntry,
  type Mutation,
  type Page,
  type Read,
  type ScanRange,
  type Store,
  StoreError,
} from '@unikv/core'
import { callOptions, kindOf, mark, type PlainError, type ToolCall, toPlain } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import { compact } from './compact.ts'
import { importModule } from './import-module.ts'
import { type Packed, unpack } from './packed.ts'

/** One call that a worker thread does with its own store. */
export type ThreadCall =
  | { readonly verb: 'facts' }
  | { readonly verb: 'read'; readonly reads: readonly Read[] }
  | { readonly verb: 'write'; readonly mutations: readonly Mutation<Bytes>[] }
  | { readonly verb: 'scan'; readonly range: ScanRange }

/** The options of a call that a thread needs. */
export interface ThreadCallOptions {
  readonly consistency: string | undefined
  /** How long the call still has, in milliseconds. */
  readonly leftMs: number
}

/** The reply, with errors as data. */
export type ThreadAnswer = { readonly value: unknown } | { readonly error: PlainError }

/** The data that each thread starts with, after the data of the pool. */
interface ThreadData {
  readonly module: string
  readonly exportName: string
  readonly settings: Packed
}

let opened: Promise<Store<Bytes>> | undefined

/** Runs in a worker thread of `threads`. */
export async function work([call, options]: readonly [ThreadCall, ThreadCallOptions]): Promise<ThreadAnswer> {
  const deadlineAt = performance.now() + options.leftMs
  try {
    opened ??= opening()
    return { value: await answer(await opened, call, { ...options, deadlineAt }) }
  } catch (error) {
    return { error: toPlain(error) }
  }
}

async function opening(): Promise<Store<Bytes>> {
  try {
    return await open((Array.isArray(workerData) ? workerData.at(-1) : workerData) as ThreadData)
  } catch (error) {
    // The next call tries again.
    opened = undefined
    throw error
  }
}

async function answer(store: Store<Bytes>, call: ThreadCall, options: ToolCall): Promise<unknown> {
  switch (call.verb) {
    case 'facts':
      return { name: store.name, capabilities: store.capabilities }
    case 'read':
      return (await store.read(call.reads, callOptions(options))).map((result) =>
        mark(isEntry(result) ? compact(result) : result),
      )
    case 'write':
      return (await store.write(call.mutations.map(bytesOf), callOptions(options))).map(mark)
    case 'scan':
      return onePage(store, call.range, options)
  }
}

/** Bytes arrive as plain `Uint8Array`; clients may want a `Buffer`. */
function bytesOf(mutation: Mutation<Bytes>): Mutation<Bytes> {
  if (mutation.type !== 'set') return mutation
  const { buffer, byteOffset, length } = mutation.value
  return { ...mutation, value: Buffer.from(buffer, byteOffset, length) }
}

async function onePage(store: Store<Bytes>, range: ScanRange, options: ToolCall): Promise<Page<Bytes>> {
  for await (const page of store.scan(range, callOptions(options))) {
    return {
      ...page,
      entries: page.entries.map(({ key, entry }) => ({
        key,
        entry: (isEntry(entry) ? compact(entry) : mark(entry)) as typeof entry,
      })),
    }
  }
  return { entries: [] }
}

async function open({ module, exportName, settings }: ThreadData): Promise<Store<Bytes>> {
  const exported = (await importModule(module))[exportName]
  if (typeof exported !== 'function') {
    throw new StoreError(
      'INVALID_CONFIG',
      `The module does not export a function named ${exportName} that opens a store.`,
    )
  }
  const store = await (exported as (settings: unknown) => unknown)(unpack(settings))
  if (isStore(store)) return store
  throw new StoreError(
    'INVALID_CONFIG',
    `The function ${exportName} of the module must return a store, such as lmdb({ path }), got ${kindOf(store)}.`,
  )
}

function isStore(value: unknown): value is Store<Bytes> {
  const { read, write, scan } = Object(value) as Record<string, unknown>
  return [read, write, scan].every((verb) => typeof verb === 'function')
}
