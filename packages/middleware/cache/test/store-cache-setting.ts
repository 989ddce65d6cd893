import { testClock } from '@unikv/conformance'
import { compose, keyValue, type PassThrough, passThrough, StoreError } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { cache, type StoreCacheOptions } from '../src/index.ts'

const down = () => new StoreError('UNAVAILABLE', 'down')

/** A source, a cache store and what lies between them, all on one clock. */
export function setting(options: Partial<StoreCacheOptions> = {}, between: readonly PassThrough[] = []) {
  const clock = testClock(1_000_000)
  const source = memory({ clock })
  const asked: string[][] = []
  const spy = passThrough('spy', {
    wrap: (inner) => ({
      read: (reads, call) => {
        asked.push(reads.map(({ key, ifNotVersion }) => (ifNotVersion === undefined ? key : `${key}?`)))
        return inner.read(reads, call)
      },
    }),
  })
  const remote = memory({ clock, name: 'remote' })
  const c = cache({ clock, store: compose(remote, between), ...options })
  const kv = keyValue(source, [c, spy], { clock })
  const behind = keyValue(source, [], { clock })
  return { clock, source, remote, c, kv, behind, asked }
}

/** Fails when told so; `'silent'`: never answers. */
export function unreliable(): { readonly layer: PassThrough; state: 'up' | 'down' | 'silent' } {
  const at: { state: 'up' | 'down' | 'silent' } = { state: 'up' }
  const through = <T>(run: () => T | Promise<T>): T | Promise<T> => {
    if (at.state === 'up') return run()
    return at.state === 'down' ? Promise.reject(down()) : new Promise<T>(() => {})
  }
  const layer = passThrough('unreliable', {
    wrap: (inner) => ({
      read: (reads, call) => through(() => inner.read(reads, call)),
      write: (mutations, call) => through(() => inner.write(mutations, call)),
    }),
  })
  return Object.assign(at, { layer })
}
