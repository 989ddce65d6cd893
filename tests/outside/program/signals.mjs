import { runStudy, studyConfig } from '@unikv/bench'
import { synthetic } from '@unikv/bench/engine'
import { closedLoop, constantRate, openLoop, operations } from '@unikv/bench/loop'
import { loadStudy } from '@unikv/bench/studies'
import { createCache } from '@unikv/cache'
import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { sweepDeltas } from '@unikv/delta'
import {
  encryption,
  keyring,
  kmsKeys,
  localKms,
  nameKey,
  open,
  openStream,
  reencrypt,
  rekey,
  seal,
  sealStream,
} from '@unikv/encryption'
import { mirror } from '@unikv/mirror'
import { writeBehind } from '@unikv/write-behind'
import { JSDOM } from 'jsdom'

const sizes = await loadStudy('sizes')

/** As polyfills have it: no class that Node.js knows, neither `reason` nor `throwIfAborted`. */
class Polyfill {
  signal = {
    aborted: false,
    listeners: new Set(),
    addEventListener(_, listener) {
      this.listeners.add(listener)
    },
    removeEventListener(_, listener) {
      this.listeners.delete(listener)
    },
  }
  abort() {
    this.signal.aborted = true
    for (const listener of this.signal.listeners) listener({ type: 'abort' })
  }
}
const controllers = { jsdom: new JSDOM('').window.AbortController, polyfill: Polyfill }

const key = (start) => Uint8Array.from({ length: 32 }, (_, i) => start + i)
const keys = keyring({ primary: 'a', keys: { a: key(0) } })
const bytes = new Uint8Array([1])
const asked = { dataset: 'd', key: 'k', keys: kmsKeys({ providers: localKms({ id: 'l', keys }) }) }
const sealed = () => keyValue(memory(), [encryption({ keys, dataset: 'd' })])
const collect = async (all) => {
  const found = []
  for await (const one of all) found.push(one)
  return found
}

/** A store whose answers take until the call is over, to be aborted on the way. */
const hung = () => {
  const store = memory()
  const never = (call) =>
    new Promise((_, reject) => call.signal?.addEventListener('abort', () => reject(new Error('late'))))
  return { ...store, read: (_, call) => never(call), write: (_, call) => never(call) }
}

const soon = () => new Promise((resolve) => setTimeout(resolve, 1))

/** Functions that take a signal, each with what it needs, over working stores. */
const working = {
  get: (signal) => keyValue(memory()).get('a', { signal }),
  set: (signal) => keyValue(memory()).set('a', bytes, { signal }),
  getMany: (signal) => keyValue(memory()).getMany(['a'], { signal }),
  update: (signal) => keyValue(memory()).update('a', () => bytes, { signal }),
  increment: (signal) => keyValue(memory()).increment('n', 1, { signal }),
  keys: (signal) => collect(keyValue(memory()).keys({ signal })),
  clear: (signal) => keyValue(memory()).clear({ all: true, signal }),
  cached: (signal) => createCache().cached('a', () => 1, { signal }),
  flush: (signal) => writeBehind({ background: () => {} }).flush({ signal }),
  sweepDeltas: (signal) => sweepDeltas(memory(), { signal }),
  reencrypt: async (signal) => {
    const kv = sealed()
    await kv.set('a', bytes)
    return reencrypt(kv, { signal })
  },
  rekey: async (signal, more) => {
    const store = memory()
    const [from, to] = [nameKey(key(1)), nameKey(key(2))]
    const kv = keyValue(store, [encryption({ keys, dataset: 'd', names: from })])
    await kv.set('a', bytes)
    return rekey(store, { keys, dataset: 'd', from, to, settleMs: 0, ...more, signal })
  },
  verify: (signal) => mirror(memory(), memory()).verify({ signal }),
  resync: (signal) => mirror(memory(), memory()).resync({ signal }),
  seal: (signal) => seal(bytes, { ...asked, signal }),
  open: async (signal) => open(await seal(bytes, asked), { ...asked, signal }),
  sealStream: (signal) => collect(sealStream([bytes], { ...asked, signal })),
  openStream: async (signal) => collect(openStream([await seal(bytes, asked)], { ...asked, signal })),
}

/** Functions over what does not answer: the signal ends them. */
const waiting = {
  get: (signal) => keyValue(hung()).get('a', { signal, timeoutMs: Infinity }),
  set: (signal) => keyValue(hung()).set('a', bytes, { signal, timeoutMs: Infinity }),
  cached: (signal) => createCache().cached('a', () => new Promise(() => {}), { signal, timeoutMs: Infinity }),
  rekey: (signal) => working.rekey(signal, { finish: true, settleMs: Infinity }),
  closedLoop: (signal) => closedLoop(operations('a', soon), { signal }),
  openLoop: (signal) => openLoop(operations('a', soon), { arrivals: constantRate(100), signal }),
  runStudy: (signal) =>
    runStudy(sizes, {
      config: studyConfig(sizes, { sizes: [100], runs: 1000 }),
      stores: [{ name: 'memory', url: 'memory:', store: memory() }],
      data: synthetic({ seed: 1 }),
      signal,
    }),
}

const told = {}
async function tell(name, call, controller) {
  await call(controller.signal).then(
    () => (told[name] = 'done'),
    (error) => (told[name] = typeof error.code === 'string' ? error.code : error.name),
  )
}

for (const [realm, Controller] of Object.entries(controllers)) {
  for (const [name, call] of Object.entries(working)) {
    await tell(`${name}, ${realm}`, call, new Controller())
    const controller = new Controller()
    controller.abort()
    await tell(`${name}, ${realm}, aborted before`, call, controller)
  }
  for (const [name, call] of Object.entries(waiting)) {
    const controller = new Controller()
    setTimeout(() => controller.abort(), 20)
    await tell(`${name}, ${realm}, aborted later`, call, controller)
  }
}
console.log(JSON.stringify(told))
process.exit() // what is hung stays hung
