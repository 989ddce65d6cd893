import { AsyncLocalStorage } from 'node:async_hooks'
import { tracingChannel } from 'node:diagnostics_channel'
import { json, keyValue, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { afterEach, expect, test } from 'vitest'
import { monitor, type TracedCall } from '../src/index.ts'

const verbs = ['read', 'write', 'scan', 'native'] as const
const ends: (() => void)[] = []
afterEach(() => {
  for (const end of ends.splice(0)) end()
})

/** What the channels of all verbs are told, as lines. */
function heard(): string[] {
  const lines: string[] = []
  const seen = new Map<object, TracedCall>()
  for (const verb of verbs) {
    const told = (event: string) => (message: unknown) => {
      const call = message as TracedCall
      seen.set(call, call)
      const { operation, items, failed, error } = call
      lines.push([event, operation, items, failed ?? '', error?.code ?? ''].join(' ').trim())
    }
    const subscribers = {
      start: told('start'),
      end: told('end'),
      asyncStart: told('asyncStart'),
      asyncEnd: told('asyncEnd'),
      error: told('error'),
    }
    tracingChannel(`unikv:${verb}`).subscribe(subscribers)
    ends.push(() => tracingChannel(`unikv:${verb}`).unsubscribe(subscribers))
  }
  return lines
}

const promised = passThrough('promised', {
  wrap: (inner) => ({
    read: async (reads, call) => {
      if (reads.some(({ key }) => key.endsWith('down')))
        throw new StoreError('UNAVAILABLE', 'The server is down.', {
          key: 'secret',
          cause: new Error('secret'),
        })
      return inner.read(reads, call)
    },
  }),
})

test('tracing channels are told of the start and the end of calls', async () => {
  const m = monitor()
  const near = keyValue(memory(), [m, json()])
  const far = keyValue(memory(), [m, json(), promised])
  await near.set('unheard', 1)
  const lines = heard()
  const after = async (what: Promise<unknown>): Promise<string[]> => {
    await what.catch(() => {})
    return lines.splice(0)
  }
  expect(await after(near.set('a', 1))).toEqual(['start set 1', 'end set 1 0'])
  expect(await after(far.getMany(['a', 'b']))).toEqual([
    'start read 2',
    'end read 2',
    'asyncStart read 2 0',
    'asyncEnd read 2 0',
  ])
  expect(await after(far.get('down'))).toEqual([
    'start read 1',
    'end read 1',
    'error read 1 1 UNAVAILABLE',
    'asyncStart read 1 1 UNAVAILABLE',
    'asyncEnd read 1 1 UNAVAILABLE',
  ])
  const mixed = near.write([
    { type: 'set', key: 'b', value: 1 },
    { type: 'delete', key: 'c' },
  ])
  expect(await after(mixed)).toEqual(['start mixed 2', 'end mixed 2 0'])
  const all = async (): Promise<void> => {
    for await (const _ of near.keys());
  }
  expect((await after(all()))[1]).toBe('end scan 3 0')
  const native = m.measure('sql', () => Promise.reject(new Error('secret')))
  expect((await after(native)).at(-1)).toBe('asyncEnd native 1 1 UNAVAILABLE')
  expect(() => m.measure('sql', () => JSON.parse('secret'))).toThrow('secret')
  expect(lines).toEqual(['start native 1', 'error native 1 1 UNAVAILABLE', 'end native 1 1 UNAVAILABLE'])
  expect(m.snapshot().stores['sql']?.native?.calls).toBe(2)
})

test('messages hold no key, value or cause', async () => {
  heard()
  const messages: TracedCall[] = []
  const subscriber = (message: unknown): void => void messages.push(message as TracedCall)
  tracingChannel('unikv:read').asyncEnd.subscribe(subscriber)
  ends.push(() => tracingChannel('unikv:read').asyncEnd.unsubscribe(subscriber))
  const kv = keyValue(memory(), [monitor(), json(), promised])
  await kv.get('down').catch(() => {})
  const [message] = messages
  expect(message?.error).toMatchObject({
    code: 'UNAVAILABLE',
    store: 'memory',
    message: 'The server is down.',
  })
  expect([message?.error?.key, message?.error?.cause]).toEqual([undefined, undefined])
  expect(Object.keys(message as TracedCall).sort()).toEqual([
    'error',
    'failed',
    'items',
    'operation',
    'store',
  ])
})

test('a call runs in the context that a subscriber binds to its start', async () => {
  const spans = new AsyncLocalStorage<string>()
  const channel = tracingChannel('unikv:read')
  channel.start.bindStore(spans, (message) => `span of ${(message as TracedCall).operation}`)
  ends.push(() => channel.start.unbindStore(spans))
  const seen: (string | undefined)[] = []
  const driver = passThrough('driver', {
    wrap: (inner) => ({
      read: async (reads, call) => {
        await Promise.resolve()
        seen.push(spans.getStore())
        return inner.read(reads, call)
      },
    }),
  })
  const kv = keyValue(memory(), [monitor(), json(), driver], { coalesce: false })
  await kv.get('a')
  expect(seen).toEqual(['span of read'])
  expect(spans.getStore()).toBeUndefined()
})
