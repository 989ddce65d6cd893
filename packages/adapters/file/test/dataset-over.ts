import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Bytes, isEntry, isStoreError, newVersion, type ReadResult, type WriteResult } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { afterEach, beforeEach } from 'vitest'
import { FileDataset } from '../src/dataset.ts'
import type { FileSystem } from '../src/disk/file-system.ts'
import { syncFileSystem } from '../src/disk/node-file-system.ts'
import { fileSettings } from '../src/options.ts'
import { type Processes, systemProcesses } from '../src/writers/owner.ts'

/** A folder of its own for each test. */
export let directory = ''

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unikv-file-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

/** A store over the real file system with some of its calls changed. */
export function over(
  changes: Partial<FileSystem>,
  options: { durability?: 'flushed' | 'buffered'; maxInFlight?: number } = {},
  processes: Processes = systemProcesses,
): FileDataset {
  return new FileDataset(
    fileSettings({ directory, ...options }),
    { ...syncFileSystem, ...changes },
    processes,
  )
}

/** Set a text at once. */
export function set(store: FileDataset, key: string, text: string, options = callOptions()): WriteResult {
  const [result] = store.write(
    [{ type: 'set', key, value: Buffer.from(text), version: newVersion() }],
    options,
  ) as WriteResult[]
  return result as WriteResult
}

/** The text of a key. */
export function get(store: FileDataset, key: string): string | undefined {
  const [found] = store.read([{ key }]) as ReadResult<Bytes>[]
  if (isStoreError(found)) throw found
  return isEntry(found) ? Buffer.from(found.value).toString() : undefined
}
