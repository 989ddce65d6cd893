import { networkFaults } from '@unikv/conformance'
import { describeHttpNetwork } from '@unikv/test-kit/vitest'
import { s3 } from '../src/index.ts'
import { freshPrefix, optionsFor } from './s3-bench.ts'

describeHttpNetwork('s3', async (run) => {
  const prefix = freshPrefix()
  const open = (url: string) => s3({ ...optionsFor(url), prefix })
  await networkFaults({ ...run, open, direct: () => open(run.url) })
})
