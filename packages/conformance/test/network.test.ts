import { networkFaults } from '@unikv/conformance'
import { networkRun } from '@unikv/test-kit/vitest'
import { afterAll } from 'vitest'
import { lineServer } from './line-store/line-server.ts'
import { lineStore } from './line-store/line-store.ts'

const server = await lineServer()
afterAll(() => server.close())

await networkFaults({
  ...networkRun(server.url),
  // It is a simple client.
  asksIdleConnections: false,
  open: (url) => lineStore(url),
  direct: () => lineStore(server.url),
})
