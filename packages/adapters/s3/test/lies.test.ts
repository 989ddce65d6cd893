import { describeLies, describeWith } from '@unikv/test-kit/vitest'
import { s3 } from '../src/index.ts'
import { freshPrefix, optionsFor } from './s3-bench.ts'

describeWith('s3', (url) => {
  const prefix = freshPrefix()
  describeLies({
    url,
    open: (through) => s3({ ...optionsFor(through), prefix }),
    isWrite: ({ method = '' }) => ['PUT', 'DELETE', 'POST'].includes(method),
    believes: ['no content to delete'],
  })
})
