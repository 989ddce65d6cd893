import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { cache, type StoreCacheOptions } from '@unikv/cache'
import { type Bytes, type Capabilities, keyValue, passThrough, type Store } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, onTestFinished, test } from 'vitest'

/** A store that may be a cache of another. */
export interface LeaseStore {
  readonly store: string
  readonly url: string
  readonly open: (url: string) => Store<Bytes, Capabilities>
}

const unhurried = { timeoutMs: 60_000 } as const

/** Declares the tests that processes agree by leases on who fills a cache in this store. */
export function testLeases({ store, url, open }: LeaseStore): void {
  describe(`leases on ${store}`, () => {
    test('eight processes that miss a key ask the source once', async () => {
      const { processes, source, asked } = await setting(8)
      await source.set('a', Buffer.from('1'))
      const values = await Promise.all(processes.map(({ kv }) => kv.get('a')))
      expect(values.map((value) => Buffer.from(value ?? []).toString())).toEqual(Array(8).fill('1'))
      expect(asked.length).toBe(1)
    })

    test('a load that a write elsewhere has overtaken leaves nothing of the former value', async () => {
      const { processes, source, gate } = await setting(2)
      const [one, two] = processes
      await source.set('a', Buffer.from('old'))
      gate.shut()
      const reading = one?.kv.get('a')
      await gate.arrived
      await two?.kv.set('a', Buffer.from('new'))
      gate.open()
      expect(Buffer.from((await reading) ?? []).toString()).toBe('old')
      for (const process of processes)
        expect(Buffer.from((await process.kv.get('a')) ?? []).toString()).toBe('new')
      expect(one?.layer.stats()).toMatchObject({ voids: 1 })
    })

    test('a stale record is revalidated by one of many', async () => {
      const { processes, source, asked } = await setting(4, { freshForMs: 1_500 })
      await source.set('a', Buffer.from('1'))
      await processes[0]?.kv.get('a')
      await pause(1_600)
      asked.length = 0
      await Promise.all(processes.map(({ kv }) => kv.get('a')))
      expect(asked).toEqual(['version?'])
    })

    /** Processes over one source, with their caches in this store. */
    async function setting(count: number, options: Partial<StoreCacheOptions> = {}) {
      const source = memory()
      const namespace = randomUUID()
      const asked: string[] = []
      const gate = newGate()
      const slow = passThrough('slow', {
        wrap: (inner) => ({
          read: async (reads, call) => {
            asked.push(...reads.map(({ ifNotVersion }) => (ifNotVersion === undefined ? 'read' : 'version?')))
            const results = await inner.read(reads, call)
            await gate.pass()
            // As long as it takes those who came last to find the lease.
            await pause(100)
            return results
          },
        }),
      })
      const processes = Array.from({ length: count }, () => {
        // The first call of a store may make its table, which takes its time.
        const layer = cache({
          store: open(url),
          namespace,
          timeoutMs: 30_000,
          leaseWaitMs: 30_000,
          ...options,
        })
        const kv = keyValue(source, [layer, slow], unhurried)
        onTestFinished(() => kv.close())
        return { kv, layer }
      })
      await Promise.all(processes.map(({ kv }) => kv.get('warm up')))
      asked.length = 0
      return { processes, source: keyValue(source), asked, gate }
    }
  })
}

/** Lets everybody pass unless it is shut; `arrived` resolves when somebody waits. */
function newGate() {
  let opened: Promise<void> | undefined
  let open = (): void => {}
  let arrive = (): void => {}
  let arrived = Promise.resolve()
  return {
    shut: () => {
      opened = new Promise((resolve) => {
        open = resolve
      })
      arrived = new Promise((resolve) => {
        arrive = resolve
      })
    },
    open: () => open(),
    get arrived() {
      return arrived
    },
    pass: async () => {
      arrive()
      await opened
    },
  }
}
