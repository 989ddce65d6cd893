import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { redis } from '../src/index.ts'
import { freshDataset } from './fresh.ts'

describeHistories('redis', () => {
  const dataset = freshDataset()
  return { open: (through) => keyValue(redis({ url: through as 'redis://127.0.0.1', dataset })) }
})
