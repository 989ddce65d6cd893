import { context } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { MeterProvider } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base'
import { cache } from '@unikv/cache'
import { type AnyLayer, json, keyValue, passThrough } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { type Monitor, monitor } from '@unikv/monitor'
import { openTelemetry } from '@unikv/monitor/opentelemetry'
import { recorder } from '@unikv/monitor/recorder'

// The entrants of `monitor`, each made in a process of its own (`own-process.ts`).

/** Calls in a chunk, which is measured as a whole. */
const chunk = 1_000
/** Chunks before the first that counts: a number of calls, not a time, since a busy machine compiles late. */
const chunksToWarm = 200
const keys = Array.from({ length: 1_000 }, (_, i) => `user:${i}`)
const userOf = (key: string) => ({ id: key, name: 'Ada Lovelace', email: 'ada@example.org' })

/** Reads one key. */
type Get = (key: string) => Promise<unknown>

/** Gets in a loop, each awaited: what one took, in microseconds of the processor with all threads of the process. */
export async function chunkUs(get: Get): Promise<number> {
  const before = process.cpuUsage()
  for (let i = 0; i < chunk; i++) await get(keys[i % 1_000] as string)
  const { user, system } = process.cpuUsage(before)
  return (user + system) / chunk
}

/** Let the compiler see the calls of this process. */
export async function warmUp(get: Get): Promise<void> {
  for (let i = 0; i < chunksToWarm; i++) await chunkUs(get)
}

/** Makes each answer a promise, as those of servers are. */
const promised = passThrough('promised', {
  wrap: (inner) => ({
    read: async (reads, call) => inner.read(reads, call),
    write: async (mutations, call) => inner.write(mutations, call),
  }),
})

function recorded(): Monitor {
  const m = monitor()
  recorder(m, { keepIn: keyValue(memory()) })
  return m
}

async function hits(layers: readonly AnyLayer[] = []): Promise<Get> {
  const list: readonly AnyLayer[] = [...layers, cache({ maxEntries: 10_000 }), json()]
  return opened(list)
}

async function calls(above: readonly AnyLayer[] = [], below: readonly AnyLayer[] = []): Promise<Get> {
  const list: readonly AnyLayer[] = [...above, json(), ...below, promised]
  return opened(list)
}

async function opened(layers: readonly AnyLayer[]): Promise<Get> {
  const kv = keyValue(memory(), layers, { coalesce: false })
  for (const key of keys) await kv.set(key, userOf(key))
  for (const key of keys) await kv.get(key)
  return (key) => kv.get(key)
}

/** Spans are made and measured, but not exported. */
function withSdk(): AnyLayer {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
  return openTelemetry({ tracerProvider: new BasicTracerProvider(), meterProvider: new MeterProvider() })
}

/** Each by its name; those that begin alike are compared. */
export const entrants: Readonly<Record<string, () => Promise<Get>>> = {
  'cached hit': () => hits(),
  'cached hit, monitor': () => hits([monitor()]),
  'cached hit, monitor and recorder': () => hits([recorded()]),
  call: () => calls(),
  'call, monitor and recorder': () => calls([recorded()]),
  'call, OpenTelemetry without a provider': () => calls([], [openTelemetry()]),
  'call, OpenTelemetry with its SDK': () => calls([], [withSdk()]),
}
