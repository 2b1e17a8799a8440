"""Programs that order something of a remote service by verbs: clouds, hosters, forges, secret stores, clusters.

A cloud has thousands of commands, but they are made of few verbs: `describe-…` looks, `delete-…` deletes,
`create-access-key` hands out rights. So the tables hold verbs and the few phrases that mean more than their verb says;
what is here names a program with the options that stand before its verb. A verb nobody listed stays unknown.
"""

from __future__ import annotations

from sandgate.assessment.findings import COMPLIANCE, EXFILTRATION, HIGH, LOW, MEDIUM, NETWORK, SYSTEM
from sandgate.assessment.knowledge.entry import Entry
from sandgate.assessment.listing import phrases, words

# Verbs, by the first or last part of a word: `delete-bucket`, `apps:destroy`, `pg:reset`.
DELETING = frozenset(words("""
    delete terminate destroy remove rm rb del purge drop wipe erase deregister uninstall nuke flush flushall empty prune
    clear truncate unlink rmdir rmi obliterate expunge teardown decommission forget abandon shred unpublish down
    undeploy clean reset wipeout deletes scrub deprovision undelegate schedule-key-deletion retire gc
    """))  # fmt: skip
LOOKING = frozenset(words("""
    get list ls describe show head view status info version help whoami inspect search query tail logs log history
    events top ps explain browse estimate simulate detect filter wait watch print doctor validate check lint diff plan
    preview read cat find checks members health ping peers lookup stat du tree current test verify audit open docs
    locations regions domains releases usage metrics tables dump-config lastlog resource-list metadata batch lint-config
    render synth graph providers output outline monitor config-validate fmt format completion env-list has exists
    discover ready cost scan url urls dashboard presign-check quota quotas names whois endpoints
    """))  # fmt: skip
CHANGING = frozenset(words("""
    create put update modify set add start stop restart reboot deploy apply publish push run invoke send submit import
    restore promote rollback scale attach detach associate disassociate enable disable register cancel activate
    deactivate replace change edit patch move mv cp copy sync upload migrate transfer upgrade rotate rename resize
    install exec execute trigger approve reject merge close reopen lock unlock allocate release-address unset tag untag
    label annotate taint drain cordon launch failover switchover swap reload sign clone fork archive unarchive pause
    resume suspend maintenance resync rebuild redeploy accept authorize unseal seal write up provision bootstrap expose
    autoscale rollout reconcile ship deallocate evict isolate reimage generalize capture convert encrypt regenerate
    reassign refund void charge pay emit fire call broadcast seed backfill reindex compact rebalance reprovision rekey
    recover reapply force-unlock publish-version send-message put-events upsert merge-pr schedule unschedule
    kill-session flip swap-slots assign unassign export revoke renew insert load save assume join leave kill abort retry
    rerun comment pin transfer-domain subscribe unsubscribe confirm respond request delegate mount unmount snapshot
    hibernate warmup checkout post extract unload presign website
    """))  # fmt: skip
CONNECTING = frozenset(words("""
    start-session     login logout configure init ssh tunnel proxy connect link pull fetch download port-forward
    use-context select
    console attach-session refresh update-kubeconfig get-credentials credentials use target auth local-up whoami
    select-org context ctx workspace-select dev-login setup-github switch
    """))  # fmt: skip
GRANTING = phrases("""
    add-iam-policy-binding, set-iam-policy, remove-iam-policy-binding, attach-user-policy, attach-role-policy,
    attach-group-policy, put-user-policy, put-role-policy, put-group-policy, put-bucket-policy, put-bucket-acl,
    put-object-acl, put-public-access-block, delete-public-access-block, create-access-key, create-login-profile,
    update-login-profile, update-assume-role-policy, add-user-to-group, create-policy-version,
    set-default-policy-version, add-permission, set-permission,
    authorize-security-group-ingress, authorize-security-group-egress,
    modify-image-attribute, modify-snapshot-attribute, modify-db-snapshot-attribute, assume-role, create-user,
    put-key-policy, create-grant, put-role-permissions-boundary, delete-role-permissions-boundary,
    create-service-linked-role, create-instance-profile, role assignment create, role definition create, ad sp
    create-for-rbac, ad sp credential, ad app credential, ad group member add, ad user create, service-accounts keys
    create, firewall-rules create, firewall-rules update, access add, members:add, iam roles create, iam roles
    update, team invite, org invite,
    collaborators add, sharing invite, clusterrolebinding, rolebinding, clusterrole, policy write, auth enable, token
    create, operator generate-root, ssh-keys add, ssh-key add, deploy-key add, policy add-cluster-role-to-user, adm
    policy, create token, impersonate, nsg rule create
    """)
LEAKING = phrases("""
    get-secret-value, batch-get-secret-value, get-session-token, get-federation-token, get-authorization-token,
    get-password-data, print-access-token, print-identity-token, print-refresh-token, secrets versions access, keyvault
    secret show, keyvault secret download, keyvault key download, account keys list, account list-keys,
    show-connection-string, get-access-token, credential show, admin-user show, connection-string show,
    list-publishing-profiles, appsettings list, secret get, secrets get, secret reveal, secrets download, secrets
    substitute, secrets export, get-credential-values, config:get, config:edit, env:get, env:list, env get, variable
    get, variables get, pg:credentials, credentials:url, auth token, auth:token, token reveal, export-profile,
    get-parameters-by-path, get-parameter, get-parameters, get-credentials-for-identity, export-configuration,
    create-export-task, get-role-credentials, connect list-keys, sas generate, generate-sas, generate-sas-token,
    get-random-password-secret, read-secret, item get, document get, get item, get password, get totp, get notes,
    kubeconfig view --raw, export-credentials, state pull, stack export, aks get-credentials --admin, config export,
    tokens create, root-token
    """)
# They let other accounts read what was private.
SHARING = phrases("""
    modify-snapshot-attribute, modify-image-attribute, modify-db-snapshot-attribute,
    modify-db-cluster-snapshot-attribute, put-bucket-policy, put-bucket-acl, put-object-acl,
    delete-public-access-block, put-public-access-block, add-layer-version-permission, sharing invite
    """)
# Verbs that print what they are asked for, and what a thing is called that nobody should print.
PRINTING = frozenset(words("get show output cat read print pull view dump reveal"))
SECRET_NAMES = ("password", "passwd", "secret", "api_key", "api-key", "apikey", "private_key", "private-key",
                "credential", "access_key", "access-key", "auth_token", "token")  # fmt: skip
REVEALING = "--show-secrets --reveal --plaintext --unmask --show-token --show-values --include-secrets --decrypt"
# Local by nature: they build, serve or check on this machine, whatever service they are made for.
LOCAL = phrases("""
    config set, config unset, account set, context use, context set, auth switch,
    dev, local, emulators:start, emulators:exec, serve, offline, package, build, typegen, types, mock, local:start,
    local invoke, local start-api, gen, generate, new, start-local, codegen, lint, vendor, scaffold, template
    """)

# name | options with values that may stand before the verb | a looking example | what the service is called
_TABLE = """
    aws |--profile --region --output --endpoint-url --query --cli-read-timeout| aws ec2 describe-instances
    awslocal |--profile --region --output --query| awslocal s3 ls
    gcloud |--project --account --format --verbosity --configuration --region --zone| gcloud compute instances list
    az |--subscription --output -o --query| az vm list
    gsutil |-h -o -u| gsutil ls gs://x
    bq |--project_id --location --format --dataset_id| bq show a.b
    azcopy || azcopy list https://x
    doctl |-t --access-token -c --context -o --output -u| doctl compute droplet list
    heroku |-a --app -r --remote| heroku ps
    fly |-a --app -c --config -o --org| fly status
    flyctl |-a --app -c --config -o --org| flyctl status
    vercel |-t --token -S --scope --cwd| vercel inspect x
    netlify |--auth --site --filter| netlify status
    firebase |-P --project --token| firebase projects:list
    supabase |--workdir --profile| supabase status
    wrangler |-c --config -e --env| wrangler whoami
    railway |-s --service -e --environment| railway status
    render |-o --output| render services list
    serverless |-s --stage -r --region| serverless info
    sls |-s --stage -r --region| sls info
    sam |--config-file --profile --region --stack-name| sam validate
    sst |--stage --profile| sst version
    amplify || amplify status
    eb |-r --region --profile| eb status
    copilot |-n --name -a --app -e --env| copilot app ls
    ecs-cli |--cluster| ecs-cli ps
    eksctl |--region --profile| eksctl get cluster
    ibmcloud |-r -g| ibmcloud resource search x
    oci |--profile --config-file --region| oci os ns get
    linode-cli || linode-cli linodes list
    hcloud |--context --config| hcloud server list
    scw |-p --profile -o| scw instance server list
    vultr-cli |--config| vultr-cli instance list
    exo |-A -z| exo compute instance list
    civo |--region| civo instance list
    openstack |--os-cloud --os-project-name -f| openstack server list
    aliyun |-p --profile --region| aliyun ecs DescribeInstances
    tccli |--profile --region| tccli cvm DescribeInstances
    yc |--profile --folder-id| yc compute instance list
    cf || cf apps-list
    dokku |--app| dokku apps:list
    caprover || caprover list
    surge || surge list
    now || now ls
    platform |-p -e| platform environment:list
    upsun |-p -e| upsun environment:list
    ghost || ghost ls
    stripe |--api-key --project-name| stripe customers list
    twilio |-p --profile| twilio phone-numbers:list
    algolia |--application-id -p| algolia indices list
    sentry-cli |--url --auth-token --org -o --project -p| sentry-cli info
    datadog-ci || datadog-ci version
    newrelic |--profile --accountId| newrelic entity search
    circleci |--token --host| circleci config validate
    travis |-r --repo| travis status
    glab |-R --repo| glab mr list
    hub |-C| hub issue
    tea |-r --repo -l --login| tea issues list
    jira |-p --project -c| jira issue list
    linear || linear issue list
    slack || slack auth list
    databricks |-p --profile -t --target| databricks clusters list
    snow |-c --connection --config-file| snow connection list
    prefect |-p --profile| prefect deployment ls
    dvc || dvc status
    huggingface-cli || huggingface-cli whoami
    hf || hf whoami
    mlflow || mlflow experiments search
    wandb || wandb status
    modal |-e --env| modal app list
    kaggle || kaggle datasets list
    replicate || replicate model list
    confluent |--environment --cluster| confluent kafka topic list
    mongocli |--projectId --orgId -P| mongocli atlas clusters list
    atlas |--projectId --orgId -P| atlas clusters list
    pscale |--org --api-token| pscale database list
    neonctl |--project-id --api-key| neonctl projects list
    turso || turso db list
    planetscale || planetscale database list
    upstash || upstash redis list
    auth0 |--tenant| auth0 apps list
    okta || okta apps list
    gam || gam info user x
    cloudflare-cli || cloudflare-cli ls
    flarectl || flarectl zone list
    akamai |--section --edgerc| akamai property list
    fastly |-t --token --service-id| fastly service list
    namecheap || namecheap domains list
    vault |-address -namespace| vault status
    bao |-address -namespace| bao status
    consul |-http-addr -token -datacenter| consul members
    nomad |-address -region -namespace| nomad status
    boundary |-addr -token| boundary scopes list
    waypoint || waypoint status
    infisical |--env --domain --token| infisical secrets-list
    doppler |-p --project -c --config -t --token| doppler projects
    phase || phase secrets list
    akeyless |--profile| akeyless list-items
    conjur |-i| conjur list
    bws |-t --access-token| bws project list
    etcdctl |--endpoints --cacert --cert --key --user -w| etcdctl endpoint health
    oc |-n --namespace --context --kubeconfig -o -l -f| oc status
    rancher |-c --config| rancher ps
    argocd |--server --auth-token| argocd app list
    argo |-n --namespace| argo list
    flux |-n --namespace --context| flux check
    istioctl |-n --namespace -c| istioctl version
    linkerd |-n --namespace| linkerd check
    cilium |-n --namespace| cilium status
    velero |-n --namespace| velero backup get
    kops |--name --state| kops validate cluster
    clusterctl |--config| clusterctl describe cluster x
    talosctl |-n --nodes -e --endpoints --talosconfig| talosctl health
    rosa |--profile --region| rosa list clusters
    tkn |-n --namespace| tkn pipeline list
    kn |-n --namespace| kn service list
    helmfile |-f --file -e --environment -l --selector| helmfile list
    skaffold |-f --filename -p --profile| skaffold diagnose-list
    werf |--env| werf helm list
    terragrunt |--terragrunt-working-dir --terragrunt-config --working-dir| terragrunt plan
    terraform |-chdir| terraform plan
    pulumi |-C --cwd -s --stack| pulumi preview
    cdk |-a --app -c --context --profile -o| cdk diff
    cdktf |-a --app| cdktf diff
    packer || packer validate x.hcl
    govc |-u -k| govc vm.info x
    s3cmd |-c --config| s3cmd ls
    s5cmd |--endpoint-url --profile| s5cmd ls
    gdrive || gdrive files list
    dropbox_uploader.sh || dropbox_uploader.sh list
    onedrive || onedrive list
    mc |-C --config-dir| mc ls x
    b2 || b2 ls x
    rabbitmqadmin |-u -p -H -P -V --host --port --vhost| rabbitmqadmin list queues
    rabbitmqctl |-n -p --node --vhost -t| rabbitmqctl list_queues
    nats |-s --server --context --user --password --creds| nats stream ls
    pulsar-admin |--admin-url| pulsar-admin topics list x
    rpk |-X --brokers| rpk topic list
    minio || minio version
    zitadel || zitadel version
    temporal |--address --namespace| temporal workflow list
    step |--config| step certificate inspect x
    tctl || tctl status
    knife |-c --config -E --environment| knife node list
    upctl |-o| upctl server list
    ovhcloud || ovhcloud instance list
    ionosctl |-o| ionosctl server list
    drone |-s -t| drone build ls
    esxcli |-s -u -p| esxcli vm process list
    racadm |-r -u -p| racadm get x
    grafana-cli |--homepath --config| grafana-cli plugins ls
    cfcli |-e -k -d| cfcli ls
    lexicon || lexicon cloudflare list
    dnscontrol |--config --creds| dnscontrol preview
    octodns-sync |--config-file| octodns-sync list
    rke |--config| rke version
    crossplane || crossplane version
    bosh |-e -d -n| bosh deployments-list
    credhub || credhub find
    hammer |-u -p| hammer host list
    awx |--conf.host| awx jobs list
    openshift-install |--dir| openshift-install version
    ocm || ocm list clusters
    tanzu || tanzu cluster list
    couchbase-cli |-c -u -p| couchbase-cli list
    opensearch-cli || opensearch-cli list
    curator_cli |--host| curator_cli show
    wp |--path| wp core version
    drush |-r -l| drush status
    hasura |--project --endpoint| hasura version
    koyeb || koyeb services list
    qovery || qovery service list
    scalingo |-a --app| scalingo ps-list
    clever || clever status
    gigalixir |-a| gigalixir ps
    deployctl || deployctl projects list
    spacectl || spacectl stack list
    tfctl || tfctl show
    appwrite || appwrite health
    convex || convex logs
    shopify || shopify version
    jenkins-cli |-s -auth| jenkins-cli list-jobs
    kafkactl || kafkactl get topics
    buildkite-agent || buildkite-agent status
    keycloak || keycloak show-config
    kcadm |-r --server| kcadm get users
    pagerduty || pagerduty list
    tsh |--proxy --user| tsh status
    teleport || teleport status
    """


EXAMPLES_LOW = ("terraform plan", "packer validate x.hcl")


def _services() -> tuple[Entry, ...]:
    made = []
    for line in _TABLE.strip().splitlines():
        name, values, example = (part.strip() for part in line.split("|"))
        local = example.endswith(" version") or example in EXAMPLES_LOW
        made.append(
            Entry(name, MEDIUM, f"Uses a remote service through {name}",
                  (f"{example} => low" if local else example, f"{name} frobnicate x"),
                  kind="contacts", categories=(NETWORK,), values=values)
        )  # fmt: skip
    return tuple(made)


SERVICES: frozenset[str] = frozenset(entry.name for entry in _services())
ENTRIES: tuple[Entry, ...] = (
    *_services(),
    *(
        Entry(
            name,
            HIGH,
            "Changes what a code host runs or lets in",
            (f"{name} x",),
            kind="contacts",
            categories=(SYSTEM, NETWORK, COMPLIANCE),
        )
        for name in phrases("""
          gh workflow run, gh workflow enable, gh workflow disable, gh variable set, gh release edit, gh release upload,
          gh repo rename, gh repo archive, gh repo unarchive, gh repo sync, gh repo deploy-key add, gh ssh-key add,
          gh gpg-key add, gh ruleset, gh org, gh attestation, gh auth refresh, glab mr merge,
          glab release create, glab repo transfer, glab variable set, glab ci run, glab ci trigger, glab
          ssh-key
          add, glab deploy-key add, glab repo archive, hub release create, hub sync, sentry-cli releases deploys
      """)
    ),
    *(
        Entry(name, HIGH, "Prints secrets of a service", (name,), kind="reads", categories=(EXFILTRATION, NETWORK))
        for name in ("doppler secrets", "infisical secrets", "heroku config", "vercel env pull", "vercel pull")
    ),
    *(
        Entry(name, MEDIUM, "Makes a new project", (name,), kind="writes")
        for name in ("sls create", "serverless create")
    ),
    *(
        Entry(name, MEDIUM, "Asks a code host", (name,), kind="contacts", categories=(NETWORK,))
        for name in ("gh ruleset list", "gh ruleset view", "gh ruleset check")
    ),
    Entry(
        "gh extension install",
        MEDIUM,
        "Installs a program from a code host",
        ("gh extension install me/x",),
        kind="contacts",
        categories=(NETWORK,),
    ),
    *(
        Entry(name, LOW, "Shows settings", (name,), kind="reads")
        for name in ("gh config list", "gh config get", "gh alias list", "gh extension list", "gh version")
    ),
)
