import { chooseSource } from './install/choose-source.ts'
import { mayInstallPackages } from './install/debian-packages.ts'
import { dockerAnswers, testcontainersInstalled } from './install/docker.ts'
import { findBinary } from './install/find-binary.ts'
import { recipeOf } from './recipes.ts'
import type { ServerKind, ServerRecipe, ServerSource } from './server.ts'
import { testServer } from './test-servers.ts'

/** Where a server is going to come from. */
export interface ServerPlan {
  readonly recipe: ServerRecipe
  /** Undefined when it cannot be had. */
  readonly source: ServerSource | undefined
  /** The addresses that the environment names; otherwise empty. */
  readonly named: readonly string[]
  /** System packages that have to be installed first. */
  readonly packages: readonly string[]
}

/** Looks at the environment, at Docker and at the installed programs. Changes nothing. */
export async function planServers(
  kinds: readonly ServerKind[],
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly ServerPlan[]> {
  const named = kinds.map((kind) => namedUrls(kind, environment))
  const testcontainers = testcontainersInstalled()
  // Docker takes a moment to answer, so it is only asked where the answer matters.
  const docker = testcontainers && named.some((urls) => urls.length === 0) && (await dockerAnswers())
  const nodeMajor = Number(process.versions.node.split('.')[0])
  return kinds.map((kind, index) => {
    const recipe = recipeOf(kind)
    const urls = named[index] ?? []
    const choice = chooseSource({
      named: urls.length > 0,
      container: recipe.container !== undefined,
      docker,
      testcontainers,
      nodeMajor,
      binaries: missingBinaries(recipe).length === 0,
      mayInstall: mayInstallPackages(),
    })
    const packages = choice?.install ? recipe.debianPackages : []
    return { recipe, source: choice?.source, named: urls, packages }
  })
}

/** The programs of a recipe that are not installed here. */
export function missingBinaries(recipe: ServerRecipe): readonly string[] {
  return recipe.binaries.filter((name) => findBinary(name) === undefined)
}

function namedUrls(
  kind: ServerKind,
  environment: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const address = testServer(kind, environment)
  return 'urls' in address ? address.urls : []
}
