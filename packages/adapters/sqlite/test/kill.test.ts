import { sqlite } from '@unikv/sqlite'
import { testKilledWriters } from '@unikv/test-kit/vitest'
import { bundle } from './proofs/bundle.ts'

testKilledWriters({
  open: (path) => sqlite({ path }),
  script: (folder) => bundle(new URL('proofs/writer.ts', import.meta.url), folder),
  cycles: 5,
})
