import { describeLies, describeWith } from '@unikv/test-kit/vitest'
import { swift } from '../src/index.ts'
import { authOf, container, freshPrefix } from './swift-bench.ts'

describeWith('swift', (url) => {
  const prefix = freshPrefix()
  describeLies({
    url,
    open: (through) => swift({ auth: authOf(through), container, prefix, prepare: true }),
    isWrite: ({ method = '' }) => ['PUT', 'DELETE', 'POST'].includes(method),
  })
})
