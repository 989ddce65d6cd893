import { networkFaults } from '@unikv/conformance'
import { describeLies, networkRun } from '@unikv/test-kit/vitest'
import { afterAll, describe } from 'vitest'
import { httpStore } from '../src/store/index.ts'
import { served } from './served.ts'

const server = await served()
afterAll(() => server.close())

describe('lies of who stands between', () => {
  describeLies({
    url: server.url,
    open: async (through) => httpStore(await server.fresh(through)),
    isWrite: ({ method, url = '' }) => method === 'PUT' || url.includes('/writes'),
  })
})

describe('faults of the network', async () => {
  const options = await server.fresh()
  const open = (url: string) =>
    httpStore({ ...options, url: new URL(new URL(String(options.url)).pathname, url) })
  await networkFaults({ ...networkRun(server.url), open, direct: () => open(server.url) })
})
