import type { StudyPreset } from '../../../study/study.ts'
import type { SizesConfig } from '../config.ts'
import { notDrawn } from './drawn.ts'

/** Settings as in the paper. Without servers, files and SQLite stand for its stores. */
export const iyengar: StudyPreset<SizesConfig> = {
  config: {
    sizes: [100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6],
    operations: 20,
    runs: 4,
    parallel: 1,
    encryption: ['aes-128-gcm'],
    compression: ['gzip'],
    maxPhaseMs: 2_000,
  },
  stores: ['file:./unikv-iyengar', 'sqlite:./unikv-iyengar.db'],
  remoteCaches: ['redis', 'memcached'],
  remarks: notDrawn,
}
