import { pathToFileURL } from 'node:url'
import { setImmediate as own } from '@unikv/core/platform'

// lmdb-js looks up globals when it is loaded and while it works. A test may have put others there.

/** The prototype of buffers. */
const Own: unknown = Object.getPrototypeOf(Buffer)

/**
 * Have lmdb-js begin a write. It begins commits by the global `setImmediate` of the moment; where that is one of fake
 * timers, which stand still, by a promise instead.
 */
export function inOwnTurn<T>(work: () => T): T {
  return hasOwnTurn() ? work() : besides(globalThis.setImmediate, work)
}

/** Whether it begins by itself. */
export function hasOwnTurn(): boolean {
  const { setImmediate: given } = globalThis
  return given === own && !('clock' in given)
}

/** Whether a commit is about to begin where there is no `setImmediate` at all. */
let isBeginning = false

function besides<T>(given: typeof globalThis.setImmediate | undefined, work: () => T): T {
  const begin = (run: () => void): NodeJS.Immediate | undefined => {
    if (given === undefined) return beginOnce(run)
    void Promise.resolve().then(run)
    // lmdb-js ends it when it begins.
    return given(() => {})
  }
  return replaced(globalThis, 'setImmediate', begin, work)
}

/** With nothing to end, as a simulated browser has no `clearImmediate` either. lmdb-js then asks for each write. */
function beginOnce(run: () => void): undefined {
  if (isBeginning) return
  isBeginning = true
  void Promise.resolve().then(() => {
    isBeginning = false
    run()
  })
}

/**
 * Have lmdb-js loaded, whose file is at this path: in a simulated browser it takes the script of the document for its
 * own place.
 */
export function asScript<T>(path: () => string, load: () => T): T {
  const { document } = globalThis as { readonly document?: object }
  if (document === undefined) return load()
  const script = { tagName: 'SCRIPT', src: '' }
  try {
    script.src = pathToFileURL(path()).href
  } catch {
    // It is not there, as `load` will say.
  }
  return replaced(document, 'currentScript', script, load)
}

/** Bytes that lmdb-js knows for such: a simulated browser has a `Uint8Array` that no buffer is one of. */
export function knownBytes(bytes: Buffer): Buffer {
  const { Uint8Array: Known } = globalThis
  return Known === Own ? bytes : (new Known(bytes.buffer, bytes.byteOffset, bytes.length) as Buffer)
}

/** Have a property replaced while something is done. */
export function replaced<T>(holder: object, name: string, value: unknown, work: () => T): T {
  const given = Object.getOwnPropertyDescriptor(holder, name)
  Object.defineProperty(holder, name, { value, configurable: true, writable: true })
  try {
    return work()
  } finally {
    if (given === undefined) Reflect.deleteProperty(holder, name)
    else Object.defineProperty(holder, name, given)
  }
}
