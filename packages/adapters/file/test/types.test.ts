import { expectTypeOf, test } from 'vitest'
import { type FileOptions, file } from '../src/index.ts'

test('capabilities are as literal as the options', () => {
  const store = file({ directory: 'x' })
  expectTypeOf(store.capabilities.durability).toEqualTypeOf<'flushed'>()
  expectTypeOf(store.capabilities.sync).toEqualTypeOf<'none'>()
  const other = file({ directory: 'x', durability: 'buffered', sync: true })
  expectTypeOf(other.capabilities.durability).toEqualTypeOf<'buffered'>()
  expectTypeOf(other.capabilities.sync).toEqualTypeOf<'all'>()
  const options: FileOptions = { directory: 'x' }
  expectTypeOf(file(options).capabilities.durability).toEqualTypeOf<'flushed' | 'buffered'>()
})
