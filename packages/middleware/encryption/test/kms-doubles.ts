import {
  type KmsContext,
  type KmsKeysOptions,
  type KmsProvider,
  keyring,
  kmsKeys,
  localKms,
} from '../src/index.ts'
import { root1, root2, root3 } from './records.ts'

/** A provider with a keyring, which counts its calls and does on them what a test wants. */
export interface Watched extends KmsProvider {
  readonly calls: { generate: number; encrypt: number; decrypt: number }
  readonly contexts: KmsContext[]
  /** Runs before each call: may wait or throw. */
  before: (signal: AbortSignal) => Promise<void>
}

const roots = { local: root1, second: root2, third: root3 }

/** A service of a test: real wrapping, by a keyring of its own. */
export function watched(id: keyof typeof roots = 'local'): Watched {
  const inner = localKms({ id, keys: keyring({ primary: 'w1', keys: { w1: roots[id] } }) })
  const calls = { generate: 0, encrypt: 0, decrypt: 0 }
  const contexts: KmsContext[] = []
  const one: Watched = {
    id,
    info: inner.info,
    calls,
    contexts,
    before: async () => {
      // Nothing: the service answers.
    },
    async generateDataKey(context, call) {
      calls.generate++
      contexts.push(context)
      await one.before(call.signal)
      return inner.generateDataKey(context, call)
    },
    async encryptDataKey(key, context, call) {
      calls.encrypt++
      await one.before(call.signal)
      return inner.encryptDataKey?.(key, context, call) as Promise<Uint8Array>
    },
    async decryptDataKey(wrapped, context, call) {
      calls.decrypt++
      contexts.push(context)
      await one.before(call.signal)
      return inner.decryptDataKey(wrapped, context, call)
    },
  }
  return one
}

/** Keys with one watched service, and a clock that stands until it is moved. */
export function watchedKeys(options: Partial<KmsKeysOptions> = {}) {
  const kms = watched()
  const time = { now: 1000 }
  const keys = kmsKeys({ providers: kms, clock: () => time.now, ...options })
  return { kms, keys, time }
}
