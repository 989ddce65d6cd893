import { setTimeout as pause } from 'node:timers/promises'
import { isStoreError, newVersion, StoreError } from '@unikv/core'
import { callOptions } from '@unikv/core/adapter'
import type { Line } from '../line-store/line.ts'
import { askOnce, type LineClient, lineStore } from '../line-store/line-store.ts'
import { asking, type BrokenNetwork, cases, failing, resending, success, writes } from './broken-network.ts'

const { lost, under } = cases
const resets = under('a server that resets every connection')

/** Clients that send again what may have arrived. */
const resenders: readonly BrokenNetwork[] = [
  { fault: 'counts again when a reply is lost', found: lost('increment'), ...resending(writes('increment')) },
  { fault: 'sets again when a reply is lost', found: lost('set'), ...resending(writes('set')) },
  { fault: 'sets many again when a reply is lost', found: lost('setMany'), ...resending(writes('set')) },
  { fault: 'deletes again when a reply is lost', found: lost('delete'), ...resending(writes('delete')) },
  {
    fault: 'deletes many again when a reply is lost',
    found: lost('deleteMany'),
    ...resending(writes('delete')),
  },
  { fault: 'touches again when a reply is lost', found: lost('touch'), ...resending(writes('touch')) },
  {
    fault: 'creates again when a reply is lost, and takes its own record for that of another',
    found: lost('set on the condition that there is nothing'),
    ...resending(writes('set', true)),
  },
  {
    fault: 'replaces again when a reply is lost, and finds its own version',
    found: lost('set on the condition of a version'),
    ...resending(writes('set', true)),
  },
  {
    fault: 'deletes a version again when a reply is lost, and finds nothing',
    found: lost('delete on the condition of a version'),
    ...resending(writes('delete', true)),
  },
  {
    fault: 'sets again a while after a reply was lost',
    found: lost('set'),
    ...failing((error, again) => {
      setTimeout(() => void again().catch(() => {}), 60)
      throw error
    }),
  },
  {
    fault: 'keeps for later what it told not to be sent',
    found: resets,
    ...asking(async (client, question, call) => {
      for (;;) {
        try {
          return await askOnce(client, question, callOptions())
        } catch {
          call.sent = false
          await pause(20)
        }
      }
    }),
  },
]

/** Clients that do not tell what happened. */
const liars: readonly BrokenNetwork[] = [
  {
    fault: 'tells a lost reply as a deadline that came before anything was sent',
    found: lost('set'),
    ...failing((error) => {
      throw new StoreError('TIMEOUT', error.message)
    }),
  },
  {
    fault: 'tells a lost reply as a server that is not there',
    found: lost('deleteMany'),
    ...failing((error) => {
      throw new StoreError('UNAVAILABLE', error.message)
    }),
  },
  {
    fault: 'acknowledges what it has only sent',
    found: 'a request that is cut off has no effect or all of it',
    ...asking(async (client, question, call) => {
      const answer = askOnce(client, question, call)
      if (question.verb !== 'write') return answer
      answer.catch(() => {})
      await client.connection(call)
      return success(question)
    }),
  },
  {
    fault: 'takes a lost reply for a condition that did not hold',
    found: lost('update'),
    ...failing((error, _, question) => {
      if (question.verb !== 'write') throw error
      return question.items.map(() => ({ conditionFailed: true }))
    }),
  },
  {
    fault: 'takes a lost reply to a touch for a key that is not there',
    found: lost('touch'),
    ...failing((error, _, question) => {
      if (!writes('touch')(question)) throw error
      return [{ conditionFailed: true }]
    }),
  },
  {
    fault: 'tells a batch as not applied of which a part was',
    found: lost('setMany'),
    ...asking(async (client, question, call) => {
      if (question.verb !== 'write') return askOnce(client, question, call)
      const results: unknown[] = []
      for (const item of question.items) {
        try {
          const [result] = (await askOnce(client, { verb: 'write', items: [item] }, call)) as unknown[]
          results.push(result)
        } catch (error) {
          if (!isStoreError(error) || question.items.length === 1) throw error
          throw new StoreError('UNAVAILABLE', 'the batch failed')
        }
      }
      return results
    }),
  },
  {
    fault: 'stores versions of its own',
    found: lost('set'),
    ...asking((client, question, call) => {
      if (question.verb !== 'write') return askOnce(client, question, call)
      const items = question.items.map((item) => ({ ...item, version: newVersion() }))
      return askOnce(client, { verb: 'write', items }, call)
    }),
  },
  {
    fault: 'takes a broken connection for a record that is not there',
    found: 'an answer that is cut off reaches no other call',
    ...failing((error, _, question) => {
      if (question.verb !== 'read') throw error
      return question.items.map(() => undefined)
    }),
  },
  {
    fault: 'tells a broken connection as a record that is damaged',
    found: 'an answer that is cut off reaches no other call',
    ...failing((error, _, question) => {
      if (question.verb !== 'read') throw error
      return question.items.map(() => new StoreError('CORRUPT', error.message))
    }),
  },
  {
    fault: 'keeps the half of a value that came',
    found: 'a request that is cut off has no effect or all of it',
    open: (url) => lineStore(url),
    appliesHalves: true,
  },
]

const lines = new WeakMap<LineClient, Line>()

/** Clients that do not get over a fault, or leave something behind. */
const cripples: readonly BrokenNetwork[] = [
  {
    fault: 'gives the late answer of one call to the next',
    found: 'an answer that comes late reaches no other call',
    ...asking(async (client, question, call) => {
      const line = await client.connection(call)
      try {
        return await askOnce(client, question, call)
      } catch (error) {
        // Its place in the line goes, and its answer is still on the way.
        line.waiting.shift()
        throw error
      }
    }),
  },
  {
    fault: 'does not end what waits when its connection does',
    found: resets,
    ...failing(() => new Promise(() => {})),
  },
  {
    fault: 'connects once and never again',
    found: resets,
    ...asking(async (client, question, call) => {
      const line = lines.get(client) ?? (await client.connection(call))
      lines.set(client, line)
      if (line.isOver) throw new StoreError('UNAVAILABLE', 'the connection is closed')
      return askOnce(client, question, call)
    }),
  },
  {
    fault: 'rests eight seconds after a connection was lost',
    found: resets,
    ...restingAfterLoss(8_000),
  },
  {
    fault: 'rejects a promise that nobody looks at when a connection is lost',
    found: lost('set'),
    ...failing((error) => {
      void Promise.reject(error)
      throw error
    }),
  },
  {
    fault: 'throws where no code can catch it when a connection is lost',
    found: lost('set'),
    ...failing((error) => {
      setImmediate(() => {
        throw error
      })
      throw error
    }),
  },
  {
    fault: 'keeps a timer when a connection was lost',
    found: resets,
    ...failing((error) => {
      // Long enough for the suite to see it, short enough for the process that runs it.
      setTimeout(() => {}, 8_000)
      throw error
    }),
  },
  {
    fault: 'leaves its connection open when it is closed',
    found: 'close ends in a pause and leaves no connection',
    open: (url) => lineStore(url, askOnce, async () => {}),
  },
  {
    fault: 'does not close before everything was answered',
    found: 'close ends in a black hole',
    open: (url) => {
      const asked = new Set<Promise<unknown>>()
      return lineStore(
        url,
        async (client, question, call) => {
          const line = await client.connection(call)
          asked.add(line.ask({ verb: 'read', items: [] }))
          return askOnce(client, question, call)
        },
        async () => void (await Promise.allSettled(asked)),
      )
    },
  },
]

function restingAfterLoss(restMs: number): Pick<BrokenNetwork, 'open'> {
  let lostAt = Number.NEGATIVE_INFINITY
  const rest = failing((error) => {
    lostAt = performance.now()
    throw error
  })
  return {
    open: (url) => {
      const store = rest.open(url)
      const awake = (): void => {
        if (performance.now() - lostAt < restMs) throw new StoreError('UNAVAILABLE', 'resting')
      }
      return {
        ...store,
        read: (reads, call) => (awake(), store.read(reads, call)),
        write: (mutations, call) => (awake(), store.write(mutations, call)),
      }
    },
  }
}

/** Stores that a network makes go wrong. */
export const brokenNetworks: readonly BrokenNetwork[] = [...resenders, ...liars, ...cripples]
