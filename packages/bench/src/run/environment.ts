import { arch, availableParallelism, cpus, platform, release, totalmem } from 'node:os'
import { version, versions } from 'node:process'
import type { Environment } from './result.ts'

/** This machine and runtime. Nothing that names a person or a host. */
export function environment(): Environment {
  return {
    node: version,
    v8: versions.v8,
    platform: platform(),
    release: release(),
    architecture: arch(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryBytes: totalmem(),
  }
}
