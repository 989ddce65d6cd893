import type { ServerSource } from '../server.ts'

/** Facts of a kind of server and of this machine. */
export interface SourceFacts {
  /** The environment variable of this kind is set. */
  readonly named: boolean
  /** The recipe has a container. */
  readonly container: boolean
  /** A Docker daemon answers. */
  readonly docker: boolean
  /** The package testcontainers is installed. */
  readonly testcontainers: boolean
  readonly nodeMajor: number
  /** All programs of the recipe are installed. */
  readonly binaries: boolean
  /** We are root on Debian or Ubuntu, so its packages may be installed. */
  readonly mayInstall: boolean
}

/** The oldest Node.js that testcontainers loads on. */
const testcontainersNode = 22

/**
 * Where a server is had from: the environment, else Docker, else installed programs (with `install`,
 * after its packages were installed); undefined when it cannot be had.
 */
export function chooseSource(
  facts: SourceFacts,
): { readonly source: ServerSource; readonly install: boolean } | undefined {
  if (facts.named) return { source: 'environment', install: false }
  const containers = facts.docker && facts.testcontainers && facts.nodeMajor >= testcontainersNode
  if (containers && facts.container) return { source: 'docker', install: false }
  if (facts.binaries) return { source: 'installed', install: false }
  return facts.mayInstall ? { source: 'installed', install: true } : undefined
}
