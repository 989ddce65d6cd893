import { expectTypeOf, test } from 'vitest'
import { type LmdbOptions, lmdb } from '../src/index.ts'

test('capabilities are as literal as the options', () => {
  const store = lmdb({ path: 'x' })
  expectTypeOf(store.capabilities.durability).toEqualTypeOf<'flushed'>()
  expectTypeOf(store.capabilities.sync).toEqualTypeOf<'reads'>()
  const other = lmdb({ path: 'x', durability: 'buffered', sync: true })
  expectTypeOf(other.capabilities.durability).toEqualTypeOf<'buffered'>()
  expectTypeOf(other.capabilities.sync).toEqualTypeOf<'all'>()
  const options: LmdbOptions = { path: 'x' }
  expectTypeOf(lmdb(options).capabilities.durability).toEqualTypeOf<'flushed' | 'buffered'>()
})
