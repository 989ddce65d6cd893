import { createRequire } from 'node:module'
import { keyValue, supports, text } from '@unikv/core'
import { expect, test } from 'vitest'
import { onOrderedStores } from './four-stores.ts'
import { KeyValueLevel } from './level.ts'
import { TapeLike } from './tape-like.ts'

const suite = createRequire(import.meta.url)('abstract-level/test') as (options: object) => void

onOrderedStores('level', (bytes) => {
  test('is a database of abstract-level, by its own suite', async () => {
    const whole = keyValue(bytes, [text()])
    if (!supports(whole, 'reverseScan')) throw new Error(`${whole.name} does not list in reverse`)
    const tape = new TapeLike()
    let databases = 0
    const factory = (options = {}) => new KeyValueLevel(whole.namespace(`db${databases++}`), options)
    suite({ test: tape.test, factory })
    const { passed, failed } = await tape.run()
    console.log(`abstract-level: ${passed} assertions hold over ${whole.name}`)
    expect(failed).toEqual([])
    expect(passed).toBeGreaterThan(3_600)
  }, 600_000)
})
