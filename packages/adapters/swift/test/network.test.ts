import { networkFaults } from '@unikv/conformance'
import type { Bytes, Store } from '@unikv/core'
import { ownServer } from '@unikv/test-kit'
import { describeWithOwn, networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { swift } from '../src/index.ts'
import { authOf, container, freshPrefix } from './swift-bench.ts'

describeWithOwn('swift', async () => {
  const server = await ownServer('swift')
  afterAll(() => server.stop())
  const prefix = freshPrefix()
  // tempauth names the account as it was asked: so through the proxy. A restart also voids all tokens.
  const open = (url: string): Store<Bytes> => swift({ auth: authOf(url), container, prefix, prepare: true })
  await networkFaults({
    ...networkRun(server.url),
    open,
    direct: () => open(server.url),
    restart: () => server.restart(),
  })
})
