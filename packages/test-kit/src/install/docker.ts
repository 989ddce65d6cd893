import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { promisify } from 'node:util'

/** How a server runs as a container. */
export interface ContainerRecipe {
  readonly image: string
  /** The port that the server listens on inside. */
  readonly port: number
  readonly environment?: Readonly<Record<string, string>>
  /** The line of its log, and how often it comes, that says that it is ready. @default the port answers */
  readonly readyLog?: { readonly message: string; readonly times: number }
  /** Its address from outside. */
  url(host: string, port: number): string
}

/** A running container. */
export interface RunningContainer {
  readonly url: string
  readonly stop: () => Promise<void>
}

/** The part of testcontainers that is used: an optional peer, loaded only when a container is started. */
interface Testcontainers {
  readonly GenericContainer: new (image: string) => Container
  readonly Wait: { forLogMessage(message: string, times: number): unknown }
}

interface Container {
  withExposedPorts(port: number): Container
  withEnvironment(variables: Readonly<Record<string, string>>): Container
  withWaitStrategy(strategy: unknown): Container
  start(): Promise<{ getHost(): string; getMappedPort(port: number): number; stop(): Promise<unknown> }>
}

const testcontainers: string = 'testcontainers'

/** Whether a Docker daemon answers within three seconds. */
export async function dockerAnswers(): Promise<boolean> {
  const asked = promisify(execFile)('docker', ['version', '--format', '{{.Server.Version}}'], {
    timeout: 3_000,
  })
  return asked.then(
    () => true,
    () => false,
  )
}

/** Whether the package `testcontainers` is installed; it is not loaded. */
export function testcontainersInstalled(): boolean {
  try {
    createRequire(import.meta.url).resolve(testcontainers)
    return true
  } catch {
    return false
  }
}

/** Starts a container and resolves when it is ready; testcontainers removes it when this process ends. */
export async function startContainer(recipe: ContainerRecipe): Promise<RunningContainer> {
  const { GenericContainer, Wait }: Testcontainers = await import(testcontainers)
  const container = new GenericContainer(recipe.image)
    .withExposedPorts(recipe.port)
    .withEnvironment(recipe.environment ?? {})
  const { readyLog } = recipe
  const waiting = readyLog
    ? container.withWaitStrategy(Wait.forLogMessage(readyLog.message, readyLog.times))
    : container
  const running = await waiting.start()
  return {
    url: recipe.url(running.getHost(), running.getMappedPort(recipe.port)),
    stop: async () => void (await running.stop()),
  }
}
