/** Keys known in this window: none of them leaves it. */

interface SecretOwners {
  readonly models: { readonly endpoint: { readonly keys: readonly string[] } };
  readonly mcp: { readonly secrets: { readonly known: readonly string[] } };
}

export function knownSecrets({ models, mcp }: SecretOwners): readonly string[] {
  return [...models.endpoint.keys, ...mcp.secrets.known];
}
