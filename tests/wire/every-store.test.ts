import { readdirSync } from 'node:fs'
import { stores } from '@unikv/stores'
import { expect, test } from 'vitest'

/** No byte of theirs goes over a wire; and HTTP, behind which another store stands. */
const inThisProcess = ['memory', 'file', 'lmdb', 'sqlite', 'http']

test('bytes are counted for every store that declares conditional reads and has a network', () => {
  const declaring = stores.filter(({ variants }) =>
    variants.some(({ capabilities }) => capabilities.conditionalRead),
  )
  const expected = declaring.map(({ name }) => name).filter((name) => !inThisProcess.includes(name))
  const files = readdirSync(import.meta.dirname)
  expect(expected.length).toBeGreaterThan(0)
  expect(expected.filter((name) => !files.includes(`${name}.test.ts`))).toEqual([])
})
