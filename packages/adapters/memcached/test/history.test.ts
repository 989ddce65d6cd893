import { keyValue } from '@unikv/core'
import { faultedHistories } from '@unikv/test-kit'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { memcached } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeWith('memcached', (url) => {
  test('histories under faults are linearizable', { timeout: 600_000 }, async () => {
    const dataset = freshDataset()
    const outcome = await faultedHistories({
      url,
      open: (through) => keyValue(memcached({ url: through, dataset })),
    })
    expect(outcome.ends['applied']).toBeGreaterThan(0)
    if (process.env['UNIKV_OPERATIONS'] !== undefined) console.log('memcached', outcome)
  })
})
