/**
 * Names of files that usually hold passwords, tokens or keys. Their text goes to a model only after a warning to the
 * person.
 */

const SECRET: readonly RegExp[] = [
  /^\.(?:vault-token|git-credentials|pypirc|npmrc|yarnrc(?:\.yml)?|dockercfg|s3cfg|boto|my\.cnf|terraformrc|envrc)$/u,
  /^(?:wp-config(?!-sample).*|localsettings|settings\.local|config\.inc)\.php$/u,
  /^(?:database|mongoid|storage|cable|redis|sidekiq)\.ya?ml$/u,
  /^(?:auth|local\.settings|appsettings(?:\.[\w-]+)?|google-services|client_secret.*|application_default_credentials)\.json$/u,
  /^(?:kubeconfig|\.?rclone\.conf|application-(?:prod|production|secrets?|local)\.(?:ya?ml|properties))$|\.kubeconfig$/u,
  /^\.env(?:[._-].*)?$/u,
  /\.(?:env|pem|key|p12|pfx|jks|keystore|kdbx?|p8|tfstate\.backup|tfvars\.json|asc|gpg|ppk|ovpn|tfstate|tfvars)$/u,
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)|\.?netrc|_netrc|\.?htpasswd|\.?pgpass|known_hosts|authorized_keys)(?:[._-].*)?$/u,
  /^\.?(?:secrets?|credentials?|passwords?|tokens?|api[-_]?keys?|service[-_]?account)(?:[._-].*)?\.(?:json|ya?ml|toml|ini|txt|xml|properties|cfg|conf|csv)$/u,
  /^\.?(?:secrets?|credentials?|passwords?)$/u,
];

/** Within the name of a JSON file. */
const SECRET_JSON =
  /service[-_.]?account|adminsdk|credential|(?:^|[-_.])(?:gcp|gcloud|sa|private|api|secret|account)[-_]?key/u;

/** Everything in such a folder is as secret. */
const SECRET_FOLDERS: ReadonlySet<string> = new Set([
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.gcloud',
  '.password-store',
  'secrets',
]);

/** Examples without values. */
const EXAMPLE = /[._-](?:example|sample|template|dist|defaults?)$/u;

/** `path` with either kind of slashes. */
export function isSecretPath(path: string): boolean {
  const names = path.toLowerCase().split(/[/\\]/u).filter(Boolean);
  const name = names.at(-1) ?? '';
  if (names.slice(0, -1).some((folder) => SECRET_FOLDERS.has(folder))) return true;
  if (EXAMPLE.test(name)) return false;
  return SECRET.some((each) => each.test(name)) || (name.endsWith('.json') && SECRET_JSON.test(name.slice(0, -5)));
}
