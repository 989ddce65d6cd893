import { renameSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isEntry, isStoreError, newVersion, type StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import type { FileDataset } from '../src/dataset.ts'
import { nodeFileSystem, syncFileSystem } from '../src/disk/node-file-system.ts'
import { systemProcesses } from '../src/writers/owner.ts'
import { directory, get, over, set } from './dataset-over.ts'

describe('a call that ended', () => {
  test.each([
    ['a new record', 'set', false],
    ['a record in the place of another', 'set', true],
    ['a removal', 'delete', true],
  ] as const)('before its last step changes nothing: %s', async (_, type, isThere) => {
    if (isThere) set(over({}), 'a', 'old')
    const options = callOptions()
    const store = over({
      ...nodeFileSystem,
      link(path, name) {
        if (/\/c-/.test(name)) options.settled = true
        return nodeFileSystem.link(path, name)
      },
      write(descriptor, bytes) {
        if (type === 'set' && bytes.length === 100_020) options.settled = true
        return nodeFileSystem.write(descriptor, bytes)
      },
    })
    const version = newVersion()
    const mutation =
      type === 'set' ? { type, key: 'a', value: Buffer.alloc(100_000), version } : { type, key: 'a', version }
    expect(await store.write([mutation], options)).toMatchObject([{ code: 'ABORTED' }])
    expect(options.sent).toBe(false)
    expect(get(over({}), 'a')).toBe(isThere ? 'old' : undefined)
    await store.close()
  })

  test('while it waited for whoever was faster was not sent', async () => {
    const options = callOptions()
    const store = over({
      ...nodeFileSystem,
      link(path, name) {
        if (/\/k-/.test(name)) hold(over({}), 'a')
        return nodeFileSystem.link(path, name)
      },
      pause(ms) {
        options.settled = true
        return nodeFileSystem.pause(ms)
      },
    })
    const mutation = { type: 'set', key: 'a', value: Buffer.from('2'), version: newVersion() } as const
    expect(await store.write([mutation], options)).toMatchObject([{ code: 'ABORTED' }])
    expect(options.sent).toBe(false)
    await store.close()
  })

  test('tells of each item of a batch whether it was sent', async () => {
    hold(over({}), 'a')
    const options = callOptions()
    let rounds = 0
    const seen: unknown[] = []
    const store = over({
      ...nodeFileSystem,
      pause(ms) {
        if (options.parts?.[1]?.results !== undefined && ++rounds === 1) {
          seen.push(options.parts.map(({ sent, results }) => [sent, results?.map(isStoreError)]))
          options.settled = true
        }
        return nodeFileSystem.pause(ms)
      },
    })
    const mutations = ['a', 'b'].map(
      (key) => ({ type: 'set', key, value: Buffer.from('2'), version: newVersion() }) as const,
    )
    expect(await store.write(mutations, options)).toMatchObject([
      { code: 'ABORTED' },
      { version: mutations[1]?.version },
    ])
    expect(seen).toEqual([
      [
        [false, undefined],
        [true, [false]],
      ],
    ])
    await store.close()
  })
})

test('a touch keeps the value that took the place of the one that it read, under the same version', () => {
  set(over({}), 'a', 'sealed')
  const version = versionNow(over({}), 'a')
  let isResealed = false
  const store = over({
    link(path, name) {
      if (/\/c-/.test(name) && !isResealed) {
        isResealed = true
        const again = {
          type: 'set',
          key: 'a',
          value: Buffer.from('sealed anew'),
          version,
          ifVersion: version,
        } as const
        void over({}).write([again], callOptions())
      }
      return syncFileSystem.link(path, name)
    },
  })
  const expiresAt = Date.now() + 3_600_000
  expect(store.write([{ type: 'touch', key: 'a', version: newVersion(), expiresAt }], callOptions())).toEqual(
    [{ version }],
  )
  expect(get(store, 'a')).toBe('sealed anew')
})

test('what is absent with its folder is no miss, neither for reads nor for conditions', () => {
  const store = over({})
  set(store, 'a', '1')
  const { folder } = store.folder.place('a')
  renameSync(folder, `${folder}.moved`)
  const gone = expect.objectContaining({ code: 'NOT_PREPARED' })
  expect(codeOf(() => get(store, 'a'))).toBe('NOT_PREPARED')
  const touch = { type: 'touch', key: 'a', version: newVersion(), expiresAt: undefined } as const
  expect(store.write([touch], callOptions())).toEqual([gone])
  const swap = {
    type: 'set',
    key: 'a',
    value: Buffer.from('2'),
    version: newVersion(),
    ifVersion: 'v',
  } as const
  expect(store.write([swap], callOptions())).toEqual([gone])
})

test.each([
  ['blocks', syncFileSystem],
  ['does not block', nodeFileSystem],
])('a file larger than any record is not read into memory by a store that %s', async (_, system) => {
  set(over({}), 'a', '1')
  const store = over(system)
  truncateSync(store.folder.place('a').path, 2_500_000_000)
  const before = process.memoryUsage().arrayBuffers
  expect(await store.read([{ key: 'a' }])).toMatchObject([{ code: 'CORRUPT' }])
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000_000)
  expect(isStoreError(set(over({}), 'a', '2'))).toBe(false)
  expect(get(over({}), 'a')).toBe('2')
  await store.close()
})

/** A record that a process which lives is changing, and never ends to. */
function hold(store: FileDataset, key: string): void {
  set(store, key, '1')
  const claim = join(directory, `unikv/locks/c-${versionNow(store, key)}-0`)
  writeFileSync(claim, systemProcesses.identity())
}

function versionNow(store: FileDataset, key: string): string {
  const [found] = store.read([{ key }]) as readonly unknown[]
  return isEntry(found as never) ? (found as { version: string }).version : 'none'
}

function codeOf(work: () => unknown): string | undefined {
  try {
    work()
    return undefined
  } catch (error) {
    return (error as StoreError).code
  }
}
