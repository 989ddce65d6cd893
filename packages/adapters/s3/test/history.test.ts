import { keyValue } from '@unikv/core'
import { describeHistories } from '@unikv/test-kit/vitest'
import { s3 } from '../src/index.ts'
import { freshPrefix, optionsFor } from './s3-bench.ts'

describeHistories('s3', () => {
  const prefix = freshPrefix()
  return { open: (through) => keyValue(s3({ ...optionsFor(through), prefix })) }
})
