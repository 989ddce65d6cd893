import { testKilledWriters } from '@unikv/test-kit/vitest'
import { lmdb } from '../src/index.ts'
import { bundle } from './proofs/bundle.ts'

testKilledWriters({
  open: (path) => lmdb({ path }),
  script: (folder) => bundle(new URL('proofs/writer.ts', import.meta.url), folder),
  cycles: 12,
})
