import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { describeHttpNetwork } from '@unikv/test-kit/vitest'
import { swift } from '../src/index.ts'
import { authOf, container, freshPrefix } from './swift-bench.ts'

describeHttpNetwork('swift', async (run) => {
  const prefix = freshPrefix()
  // tempauth names the account as it was asked: so through the proxy. A restart also voids all tokens.
  const open = (url: string): Store<Bytes> => swift({ auth: authOf(url), container, prefix, prepare: true })
  await networkFaults({ ...run, open, direct: () => open(run.url) })
})
