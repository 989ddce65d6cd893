import { compose } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { expect, test } from 'vitest'
import { cache, type InvalidationBus } from '../src/index.ts'

/** A bus that nobody may join in these tests. */
const told = (storeTells: boolean): InvalidationBus => ({
  name: 'told',
  storeTells,
  join: () => {
    throw new Error('joined')
  },
})

function hashed() {
  const store = memory()
  const scan = { order: 'none', delivery: 'once', prefix: 'namespaces' } as const
  return { ...store, capabilities: { ...store.capabilities, scan } }
}

test('a bus on which the store tells of its keys is refused over hashed key names', () => {
  const refused = () => compose(hashed(), [cache({ bus: told(true) })])
  expect(refused).toThrow(expect.objectContaining({ code: 'INVALID_CONFIG' }))
  expect(refused).toThrow(/below the encryption/)
})

test('it is joined over plain names, and a bus between caches over hashed ones', () => {
  expect(() => compose(memory(), [cache({ bus: told(true) })])).toThrow('joined')
  expect(() => compose(hashed(), [cache({ bus: told(false) })])).toThrow('joined')
})
