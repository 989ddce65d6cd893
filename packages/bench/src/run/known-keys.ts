import { createHash } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import {
  type Bytes,
  type CallOptions,
  isStoreError,
  type Page,
  type ScanRange,
  type Store,
} from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { performance } from '@unikv/core/platform'
import type { StoreTarget } from './target.ts'
import { throughStore } from './through-store.ts'

/** Folder inside a result folder for the names of keys of stores that cannot list them. */
export const knownKeysName = '.unikv-keys'

/** How long the last look may take whether any record is left. */
const lastLookMs = 5_000

/**
 * A store that cannot list its keys lists those that were written through it. Their names are noted in a file before they are sent, by all
 * threads of a run in the same one, so that the next run finds the records of one that was killed.
 */
export function withKnownKeys(inner: Store<Bytes>, file: string): Store<Bytes> {
  const noted = new Set<string>()
  let descriptor: number | undefined
  const note = (keys: readonly string[]): void => {
    const fresh = keys.filter((key) => !noted.has(key))
    if (fresh.length === 0) return
    descriptor ??= opened(file)
    writeSync(descriptor, fresh.map((key) => `${JSON.stringify(key)}\n`).join(''))
    for (const key of fresh) noted.add(key)
  }
  return throughStore(inner, {
    ...(inner.dataset !== undefined && { dataset: inner.dataset }),
    capabilities: {
      ...inner.capabilities,
      scan: { order: 'none', delivery: 'at-least-once', prefix: 'filtered' },
    },
    write: (mutations, call) => {
      note(mutations.flatMap(({ type, key }) => (type === 'set' || type === 'increment' ? [key] : [])))
      return inner.write(mutations, call)
    },
    scan: (range, call) => pagesOf(inner, file, range, call),
    close: async () => {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
      await inner.close()
    },
  })
}

/** The targets of a run, those that cannot list with a file of their names in this folder; and the end of it, when they are closed. */
export function listedTargets(folder: string): {
  readonly listed: <T extends StoreTarget>(target: T) => T
  readonly forget: () => Promise<void>
  /** Whether there is one of them. */
  readonly isAny: () => boolean
} {
  const files = new Map<string, Store<Bytes>>()
  return {
    listed: (target) => {
      if (target.store.capabilities.scan !== false) return target
      const file = join(
        folder,
        knownKeysName,
        createHash('sha256').update(target.url).digest('hex').slice(0, 16),
      )
      files.set(file, target.store)
      const { opener } = target
      return {
        ...target,
        store: withKnownKeys(target.store, file),
        ...(opener !== undefined && { opener: () => ({ ...opener(), knownKeys: file }) }),
      }
    },
    isAny: () => files.size > 0,
    forget: async () => {
      for (const [file, store] of files) if (await holdsNone(store, file)) rmSync(file, { force: true })
      // It may hold the names of another store.
      if (files.size > 0) await rmdir(join(folder, knownKeysName)).catch(() => {})
    },
  }
}

function opened(file: string): number {
  mkdirSync(dirname(file), { recursive: true })
  return openSync(file, 'a')
}

/** The names in the file. The last line of a process that was killed may be cut off: it was not sent. */
function namesIn(file: string): readonly string[] {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const lines = text.split('\n').filter((line) => /^".*"$/.test(line))
  return [...new Set(lines.map((line) => JSON.parse(line) as string))]
}

async function* pagesOf(
  inner: Store<Bytes>,
  file: string,
  { prefix, pageSize, values, resume }: ScanRange,
  call: CallOptions,
): AsyncGenerator<Page<Bytes>> {
  const keys = namesIn(file).filter((key) => key.startsWith(prefix))
  const size = Math.min(pageSize, inner.capabilities.batch.maxItems)
  for (let at = Number(resume ?? 0); at < keys.length; at += size) {
    const page = await pageOf(inner, keys.slice(at, at + size), values, call)
    yield at + size < keys.length ? { ...page, resume: String(at + size) } : page
  }
}

async function pageOf(
  inner: Store<Bytes>,
  keys: readonly string[],
  values: boolean,
  call: CallOptions,
): Promise<Page<Bytes>> {
  const reads = keys.map((key) => (values ? { key } : { key, head: true }))
  const results = await inner.read(reads, call)
  const found = keys.flatMap((key, i) => {
    const result = results[i]
    if (result === undefined) return []
    if (!values) return [{ key }]
    return 'notModified' in result ? [] : [{ key, entry: result }]
  })
  return { entries: found }
}

async function holdsNone(inner: Store<Bytes>, file: string): Promise<boolean> {
  const call = callOptions({ deadlineAt: performance.now() + lastLookMs })
  try {
    for await (const { entries } of pagesOf(inner, file, { prefix: '', pageSize: 100, values: false }, call))
      if (entries.length > 0) return false
    return true
  } catch (error) {
    if (isStoreError(error)) return false
    throw error
  }
}
