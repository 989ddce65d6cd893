import { basename, join } from 'node:path'
import { newVersion } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import { describe, expect, test } from 'vitest'
import type { FileSystem } from '../src/disk/file-system.ts'
import { nodeFileSystem, syncFileSystem } from '../src/disk/node-file-system.ts'
import { over, set } from './dataset-over.ts'

describe('a flushed write', () => {
  test.each([
    ['new', 0],
    ['replaced', 1],
  ])(
    'of a %s record is on the disk before it has its name, and its name before it is acknowledged',
    (_, before) => {
      const calls: string[] = []
      const names = new Map<number, string>()
      const store = over({
        open: (path, flags) => {
          const descriptor = syncFileSystem.open(path, flags) as number
          names.set(descriptor, basename(path).slice(0, 2))
          return descriptor
        },
        write: (descriptor, bytes) => {
          calls.push(`write ${names.get(descriptor)}`)
          return syncFileSystem.write(descriptor, bytes)
        },
        flush: (descriptor) => {
          calls.push(`flush ${names.get(descriptor)}`)
          return syncFileSystem.flush(descriptor)
        },
        link: (path, name) => {
          calls.push(`link ${basename(name).slice(0, 2)}`)
          return syncFileSystem.link(path, name)
        },
        rename: (path, name) => {
          calls.push(`rename ${basename(name).slice(0, 2)}`)
          return syncFileSystem.rename(path, name)
        },
      })
      for (let i = 0; i < before; i++) set(store, 'a', 'old')
      set(store, 'another', '1')
      calls.length = 0
      set(store, 'a', 'new')
      const shard = basename(join(store.folder.place('a').folder))
      const placed = before === 0 ? ['link k-'] : ['link c-', 'rename k-']
      expect(calls).toEqual(['write t-', 'flush t-', ...placed, `flush ${shard}`])
    },
  )
})

describe('a scan of keys', () => {
  test('does not read bodies', () => {
    const store = over({})
    for (let i = 0; i < 20; i++) set(store, `key ${i}`, 'x'.repeat(100_000))
    let bytes = 0
    const watched = over({
      read: (path, maxBytes) => {
        const content = syncFileSystem.read(path, maxBytes) as Buffer
        bytes += content.length
        return content
      },
    })
    const pages = [...watched.pagesNow({ prefix: '', pageSize: 7, values: false })]
    expect(pages.flatMap(({ entries }) => entries)).toHaveLength(20)
    expect(bytes).toBeLessThan(50_000)
  })
})

describe('many calls at once', () => {
  test('keep no more files open than they may', async () => {
    let open = 0
    let most = 0
    const counted: Partial<FileSystem> = {
      ...nodeFileSystem,
      read: async (path, maxBytes) => {
        most = Math.max(most, ++open)
        return Promise.resolve(nodeFileSystem.read(path, maxBytes)).finally(() => open--)
      },
      open: async (path, flags) => {
        const descriptor = await nodeFileSystem.open(path, flags)
        most = Math.max(most, ++open)
        return descriptor
      },
      close: async (descriptor) => {
        await nodeFileSystem.close(descriptor)
        open--
      },
    }
    const store = over(counted, { maxInFlight: 5, durability: 'buffered' })
    const keys = Array.from({ length: 60 }, (_, i) => `key ${i}`)
    const version = newVersion()
    const value = Buffer.from('1')
    await Promise.all(
      keys.map(async (key) => store.write([{ type: 'set', key, value, version }], callOptions())),
    )
    await Promise.all(keys.map(async (key) => store.read([{ key }])))
    expect(most).toBeLessThanOrEqual(5)
    await store.close()
  })
})
