import { networkFaults } from '@unikv/conformance'
import { describeHttpNetwork } from '@unikv/test-kit/vitest'
import { dynamodb } from '../src/index.ts'
import { freshTable, optionsFor } from './dynamodb-bench.ts'

const keepsItsData = ['-dbPath', '.']

describeHttpNetwork(
  'dynamodb',
  async (run) => {
    const table = freshTable()
    const open = (url: string) => dynamodb({ ...optionsFor(url), table })
    await networkFaults({ ...run, open, direct: () => open(run.url) })
  },
  keepsItsData,
)
