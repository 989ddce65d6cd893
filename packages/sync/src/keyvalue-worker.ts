import { type KeyValue, StoreError } from '@unikv/core'
import { toPlain } from '@unikv/core/adapter'
import { setTimeout } from '@unikv/core/platform'
import { runAsWorker } from 'synckit'
import type { ListSettings, Place, RemoteAnswer, RemoteCall } from './calls.ts'
import { importModule } from './import-module.ts'
import { type Packed, pack, unpack } from './packed.ts'

// Runs in the worker thread of `syncFrom`: imports the module, calls its KeyValue, answers with packed data.
runAsWorker(async (call: RemoteCall): Promise<RemoteAnswer> => {
  try {
    return { value: pack(await answer(call, await keyValueAt(call.place))) }
  } catch (error) {
    return { error: packedError(error) }
  }
})

/** A KeyValue of which nothing is known but what it offers at run time. */
type Any = KeyValue<unknown, unknown> &
  Readonly<Record<string, (...args: readonly unknown[]) => Promise<unknown>>>

async function answer(call: RemoteCall, kv: Any): Promise<unknown> {
  switch (call.what) {
    case 'facts':
      return { name: kv.name, capabilities: kv.capabilities }
    case 'keys':
    case 'entries':
      return nextPage(kv, call.what, unpack(call.options) as ListSettings)
    case 'close':
      // The answer goes out first. Nothing else needs this thread: each `syncFrom` has its own.
      return close(kv).finally(() => setTimeout(() => process.exit(0), 0))
    default:
      return method(kv, call.what)(...call.args.map(unpack))
  }
}

/** The export of a module may have nothing to close. */
async function close(kv: Any): Promise<void> {
  if (typeof kv.close === 'function') await kv.close()
}

/** One page and the cursor of the next: no iterator has to outlive a call. */
async function nextPage(kv: Any, what: 'keys' | 'entries', options: ListSettings): Promise<unknown> {
  const scan = method(kv, what)(options) as unknown as { pages(): AsyncIterable<unknown> }
  for await (const page of scan.pages()) return page
  return { items: [], cursor: undefined }
}

function method(kv: Any, name: string): (...args: readonly unknown[]) => Promise<unknown> {
  const own = kv[name]
  if (own === undefined) throw new StoreError('UNSUPPORTED', `${kv.name} does not offer ${name}.`)
  return own.bind(kv)
}

/** The thread serves one place: what a function of the module returned is kept, not made again for each call. */
let opened: Promise<Any | undefined> | undefined

async function open({ module, exportName }: Place): Promise<Any | undefined> {
  const exported = (await importModule(module))[exportName]
  return (typeof exported === 'function' ? (exported as () => unknown)() : exported) as Promise<
    Any | undefined
  >
}

async function keyValueAt(place: Place): Promise<Any> {
  const { exportName, namespace } = place
  opened ??= open(place).catch((error: unknown) => {
    // The next call tries again.
    opened = undefined
    throw error
  })
  const kv = await opened
  if (typeof kv?.get !== 'function') {
    throw new StoreError(
      'INVALID_CONFIG',
      `The module does not export a KeyValue named ${exportName}. Export one, or set exportName.`,
    )
  }
  return namespace.reduce<Any>((view, name) => view.namespace(name) as Any, kv)
}

/** Values among the results of an error may be such that they cannot cross: then it crosses without them. */
function packedError(error: unknown): Packed {
  const plain = toPlain(error)
  try {
    return pack(plain)
  } catch {
    return pack({ ...plain, results: undefined })
  }
}
