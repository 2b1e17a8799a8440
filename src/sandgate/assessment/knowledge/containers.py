"""Containers, clusters and clouds. What happens there happens outside this machine, often for other people too."""

from __future__ import annotations

from sandgate.assessment.findings import (
    COMPLIANCE,
    DELETION,
    EXFILTRATION,
    HIGH,
    LOW,
    MEDIUM,
    NETWORK,
    PRIVILEGE,
    SYSTEM,
)
from sandgate.assessment.knowledge.entry import Entry, Worse
from sandgate.assessment.listing import phrases

RUN_VALUES = (
    "-v --volume -e --env --name -p --publish -w --workdir -u --user --network --net --mount --entrypoint -h "
    "--hostname --env-file --label -l --memory -m --cpus --platform --add-host --device --cap-add --security-opt "
    "--pid --ipc --userns "
    "--restart --pull --tmpfs --volumes-from --gpus --log-driver"
)


# What docker and podman only show.
ENGINE_LOOKING = phrases("""
    ps, images, logs, inspect, version, info, stats, top, port, diff, history, events, volume ls, volume inspect,
    volume list, network ls, network inspect, network list, image ls, image list, image inspect, image history,
    container ls, container list, container ps, container inspect, container logs, container top, container stats,
    container port, container diff, compose ps, compose logs, compose config, compose images, compose top, compose
    ls, compose port, compose version, compose events, system df, system info, system events, context ls, context
    show, context inspect, buildx ls, buildx inspect, buildx du, buildx version, manifest inspect, node ls, node ps,
    node inspect, service ls, service ps, service logs, service inspect, stack ls, stack ps, stack services, plugin
    ls, config ls, secret ls, swarm ca, trust inspect, machine ls, machine list, machine info, pod ls, pod ps, pod
    inspect, pod top, wait, healthcheck, mount, generate kube
    """)
KUBECTL_VALUES = (
    "-n --namespace --context --kubeconfig --cluster -o --output -l --selector -f --filename -c --container --user "
    "--as "
    "-s --server --token --request-timeout --since --tail --field-selector --sort-by -k --kustomize --image -p --patch "
    "--type --template --replicas --from-literal --from-file --clusterrole --role --serviceaccount -r --group --target "
    "--as-group --from-env-file --port --address"
)
HELM_VALUES = (
    "-n --namespace -f --values --set --set-string --set-file --kube-context --kubeconfig --version --repo "
    "--output-dir "
    "--post-renderer -s --show-only -a --api-versions --kube-version"
)


def _looking(names: str) -> tuple[Entry, ...]:
    return tuple(Entry(name, LOW, "Shows information", (name,), kind="reads") for name in phrases(names))


def _remote_looking(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, MEDIUM, "Asks a remote service", (name,), kind="contacts", categories=(NETWORK,))
        for name in phrases(names)
    )


REHEARSED = "--dry-run --dry-run=client --dryrun --help"


def _remote_deleting(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, "Deletes things of a remote service", (name,), kind="deletes",
              categories=(DELETION, SYSTEM, NETWORK), harmless="--dry-run --dry-run=client --dryrun --help",
              consequence="Other people may depend on them")
        for name in phrases(names)
    )  # fmt: skip


def _remote_changing(names: str) -> tuple[Entry, ...]:
    return tuple(
        Entry(name, HIGH, "Changes a remote service", (name,), kind="contacts",
              categories=(SYSTEM, NETWORK), harmless=f"{REHEARSED} --noop --why-run -T --tasks --prereqs --list")
        for name in phrases(names)
    )  # fmt: skip


def _engine_deleting(name: str) -> tuple[Entry, ...]:
    return (
        *(Entry(f"{name} {what}", HIGH, "Deletes data of containers", (f"{name} {what}",), kind="deletes",
                categories=(DELETION,), consequence="Volumes hold data that exists nowhere else")
          for what in ("system prune", "volume rm", "volume remove", "volume prune", "container prune",
                       "swarm leave", "stack rm", "stack down", "service rm", "node rm", "config rm", "context rm",
                       "buildx rm", "secret rm", "system reset",
                       "machine rm", "machine reset", "pod prune", "pod rm", "plugin rm")),
        *(Entry(f"{name} {what}", MEDIUM, "Deletes containers or images", (f"{name} {what} x",), kind="deletes",
                categories=(DELETION,),
                worse=(Worse("-a --all", HIGH, "Deletes all images or caches that no container uses", (DELETION,)),))
          for what in ("image prune", "builder prune", "buildx prune", "network prune", "container rm", "image rm",
                       "network rm", "manifest rm", "compose kill")),
    )  # fmt: skip


def _engine(name: str) -> tuple[Entry, ...]:
    """docker and podman understand the same words."""
    return (
        Entry(name, MEDIUM, "Uses containers", (f"{name} frobnicate x",), values="-H --host -c --context --config"),
        *_looking(", ".join(f"{name} {word}" for word in ENGINE_LOOKING)),
        Entry(f"{name} run", MEDIUM, "Runs a container", (
            f"{name} run alpine ls", f"{name} run --privileged alpine => high",
            f"{name} run -v /:/host alpine => high"),
            values=RUN_VALUES),
        Entry(f"{name} create", MEDIUM, "Creates a container", (f"{name} create alpine",), values=RUN_VALUES),
        Entry(f"{name} exec", MEDIUM, "Runs a command in a container", (f"{name} exec -it x ls",),
              values="-e -u -w --env --user --workdir",
              worse=(Worse("--privileged", HIGH, "Runs a command with all rights in a container", (PRIVILEGE,)),)),
        *(Entry(f"{name} {what}", MEDIUM, "Builds an image", (f"{name} {what} -t x .",
                                                              f"{name} {what} --push -t x . => high"),
                values="-t -f --build-arg --target --platform --label --secret --ssh --cache-from --cache-to --network",
                worse=(Worse("--push", HIGH, "Builds and publishes an image", (NETWORK, COMPLIANCE, EXFILTRATION)),))
          for what in ("build", "buildx build", "image build", "builder build", "buildx bake")),
        Entry(f"{name} pull", MEDIUM, "Downloads an image", (f"{name} pull alpine",), kind="contacts",
              categories=(NETWORK,)),
        Entry(f"{name} login", MEDIUM, "Stores a password", (f"{name} login",), kind="contacts",
              categories=(NETWORK, SYSTEM)),
        Entry(f"{name} logout", MEDIUM, "Forgets a password", (f"{name} logout",), kind="writes"),
        Entry(f"{name} search", MEDIUM, "Asks a registry", (f"{name} search x",), kind="contacts",
              categories=(NETWORK,)),
        *(Entry(f"{name} {what}", HIGH, "Publishes an image", (f"{name} {what} x",), kind="contacts",
                categories=(NETWORK, COMPLIANCE, EXFILTRATION), consequence="Others may use it at once")
          for what in ("push", "image push", "compose push", "manifest push", "plugin push", "buildx imagetools create",
                       "trust sign", "trust revoke", "trust key load",
                       "trust signer add", "trust signer remove")),
        *(Entry(f"{name} {what}", HIGH, "Changes services that run for others", (f"{name} {what} x",),
                kind="contacts", categories=(SYSTEM, NETWORK))
          for what in ("stack deploy", "service update", "service create", "service scale", "swarm init", "swarm join",
                       "node update", "swarm update", "service rollback", "node promote", "node demote", "swarm unlock",
                       "plugin install", "checkpoint create")),
        Entry(f"{name} export", MEDIUM, "Writes a container to a file", (f"{name} export x",), kind="reads"),
        Entry(f"{name} commit", MEDIUM, "Makes an image of a container", (f"{name} commit x y",), kind="writes"),
        Entry(f"{name} cp", MEDIUM, "Copies files to or from a container", (f"{name} cp x:/a .",), kind="writes"),
        Entry(f"{name} stop", MEDIUM, "Stops containers", (f"{name} stop x",)),
        Entry(f"{name} kill", MEDIUM, "Stops containers", (f"{name} kill x",)),
        Entry(f"{name} start", MEDIUM, "Starts containers", (f"{name} start x",)),
        Entry(f"{name} rm", MEDIUM, "Deletes containers", (f"{name} rm x", f"{name} rm -v x => high"), kind="deletes",
              categories=(DELETION,),
              worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data", (DELETION,)),)),
        Entry(f"{name} rmi", MEDIUM, "Deletes images", (f"{name} rmi x",), kind="deletes", categories=(DELETION,)),
        *_engine_deleting(name),
        Entry(f"{name} compose", MEDIUM, "Controls a set of containers", (f"{name} compose up -d",),
              values="-f --file -p --project-name"),
        Entry(f"{name} compose rm", MEDIUM, "Deletes containers", (f"{name} compose rm",
                                                                   f"{name} compose rm -fsv => high"),
              kind="deletes", categories=(DELETION,),
              worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data", (DELETION,)),)),
        Entry(f"{name} compose down", MEDIUM, "Stops a set of containers", (
            f"{name} compose down", f"{name} compose down -v => high"), kind="deletes",
            worse=(Worse("-v --volumes", HIGH, "Deletes containers with their data", (DELETION,)),)),
    )  # fmt: skip


ENTRIES: tuple[Entry, ...] = (
    *_engine("docker"),
    *_engine("podman"),
    Entry("docker-compose", MEDIUM, "Controls a set of containers", ("docker-compose up", "docker-compose down -v "
                                                                                          "=> high",
          "docker-compose ps => low", "docker-compose -f a.yml rm -fsv => high")),
    Entry("buildah", MEDIUM, "Builds images", ("buildah bud .",)),
    Entry("skopeo", MEDIUM, "Copies images", ("skopeo inspect x",), kind="contacts", categories=(NETWORK,)),
    Entry("kubectl", MEDIUM, "Uses a cluster", ("kubectl frobnicate x", "kubectl --help => low"), kind="contacts",
          categories=(NETWORK,), values=KUBECTL_VALUES),
    *_remote_looking("""
    kubectl get, kubectl describe, kubectl logs, kubectl top, kubectl explain, kubectl diff, kubectl api-resources,
    kubectl api-versions, kubectl cluster-info, kubectl auth, kubectl wait, kubectl events, kubectl rollout status,
    kubectl rollout history, kubectl kustomize, kubectl proxy, kubectl port-forward, kubectl cp, kubectl exec, kubectl
    debug, kubectl attach, kubectl version, helm status, helm get, helm history, helm repo, helm search, helm list, helm
    ls, helm show, helm pull, helm dependency, helm dep, helm test, helm registry, helm diff, aws s3 ls, aws sts
    get-caller-identity, az account show, terraform refresh, terraform providers, terraform init, terraform
    get, terraform output, terraform show, terraform state list, terraform state show, heroku logs, cdk diff, stern,
    kubetail, k9s, kubectl ctx, kubectx, kubens, kubectl ns
    """),
    *_looking("""
    helm repo list, helm plugin list, helm dependency list, kubectl plugin list, gcloud info,
    kubectl config view, kubectl config current-context, kubectl config get-contexts, kubectl config get-clusters,
    kubectl config get-users, kubectl completion, kubectl options, kubectl plugin, helm version, helm env, helm lint,
    helm completion, aws configure list, aws configure list-profiles, gcloud config list, gcloud config get-value,
    gcloud config get, gcloud config configurations list, gcloud auth list, gcloud topic, terraform version, terraform
    workspace show, terraform workspace list, terraform validate, terraform graph, az version, az config get, docker
    context ls, docker context show, minikube version, minikube profile list, kind version, kind get, vault version,
    vault print, consul version, nomad version, packer version, packer validate, packer inspect, pulumi version, pulumi
    about, pulumi whoami, helmfile version, skaffold version, argocd version, istioctl version
    """),
    Entry("kubectl version", MEDIUM, "Asks a cluster for its version", ("kubectl version",
          "kubectl version --client => low"), kind="contacts", categories=(NETWORK,), harmless="--client"),
    Entry("helm template", LOW, "Fills in templates", ("helm template charts/app",
          "helm template charts/app --output-dir out => medium"), kind="reads", values=HELM_VALUES,
          worse=(Worse("--output-dir", MEDIUM, "Writes filled-in templates"),
                 Worse("--repo --validate", MEDIUM, "Asks another machine", (NETWORK,)),
                 Worse("--post-renderer", MEDIUM, "Runs a program over the manifests"))),
    Entry("helm create", MEDIUM, "Creates a chart", ("helm create charts/x",), kind="writes"),
    Entry("helm package", MEDIUM, "Packs a chart", ("helm package charts/x",), kind="writes"),
    Entry("helm", MEDIUM, "Uses a cluster", ("helm frobnicate x",), kind="contacts", categories=(NETWORK,),
          values="-n --namespace --kube-context --kubeconfig"),
    Entry("kustomize", MEDIUM, "Fills in manifests", ("kustomize build .",), kind="reads"),
    Entry("aws configure get", LOW, "Shows a setting", ("aws configure get region",
          "aws configure get aws_secret_access_key => high"), kind="reads",
          worse=(Worse("", HIGH, "Prints an access key", (EXFILTRATION,),
                       operands="aws_secret_access_key aws_session_token aws_access_key_id"),)),
    Entry("gcloud config set", MEDIUM, "Changes settings of gcloud", ("gcloud config set project x",), kind="writes"),
    Entry("aws configure set", MEDIUM, "Changes settings of aws", ("aws configure set region x",), kind="writes",
          categories=(SYSTEM,)),
    Entry("heroku config", HIGH, "Prints secrets of an app", ("heroku config -a x",), kind="reads",
          categories=(EXFILTRATION, NETWORK)),
    Entry("kubectl config", MEDIUM, "Handles cluster settings", ("kubectl config use-context x",), kind="writes"),
    *(Entry(f"kubectl get {what}", MEDIUM, "Shows the names of secrets of a cluster",
            (f"kubectl get {what} x", f"kubectl get {what} x -o yaml => high"), kind="contacts", categories=(NETWORK,))
      for what in ("secret", "secrets")),
    *(Entry(f"kubectl {what}", HIGH, "Prints secrets of a cluster", (f"kubectl {what} x",), kind="reads",
            categories=(EXFILTRATION, NETWORK))
      for what in ("describe secret", "describe secrets", "get sealedsecret", "get externalsecret",
                   "describe sealedsecret", "describe externalsecret")),
    *(Entry(f"kubectl {what}", HIGH, "Hands out rights in a cluster", (f"kubectl {what} x",), kind="privilege",
            categories=(PRIVILEGE, SYSTEM, NETWORK, COMPLIANCE))
      for what in ("create clusterrolebinding", "create rolebinding", "create clusterrole", "create role",
                   "certificate approve", "set subject", "auth reconcile")),
    Entry("kubectl create token", HIGH, "Prints a token of a cluster", ("kubectl create token x",), kind="privilege",
          categories=(PRIVILEGE, EXFILTRATION, NETWORK)),
    *(Entry(f"kubectl {what}", HIGH, "Empties a part of a cluster", (f"kubectl {what} x",), kind="deletes",
            categories=(DELETION, SYSTEM, NETWORK), harmless="--dry-run --dry-run=client --dry-run=server --help")
      for what in ("drain", "node drain")),
    *_remote_deleting("""
    kubectl delete, helm uninstall, helm delete, helm del, helm un, terraform destroy, terragrunt destroy, terragrunt
    run-all destroy, pulumi destroy, pulumi stack rm, pulumi state delete, cdk destroy, cdktf destroy, aws s3 rm, aws s3
    rb, gsutil rm, gsutil rb, heroku apps:destroy, heroku pg:reset, kind delete, minikube delete, nomad system gc,
    vagrant destroy, virsh destroy, virsh undefine, multipass delete, multipass purge, lxc delete, incus delete, lxc rm,
    terraform state rm, terraform workspace delete, terraform taint, k3d cluster delete, k3d node delete, k3d registry
    delete, kops delete, kubeadm reset, k3s-uninstall.sh, microk8s reset, docker-machine rm, crictl rm, crictl rmi,
    crictl rmp, ctr containers rm, ctr images rm, limactl delete, limactl factory-reset, colima delete, VBoxManage
    unregistervm, vboxmanage unregistervm, govc vm.destroy, govc object.destroy, qm destroy, pct destroy, podman machine
    rm, buildah rmi, skopeo delete, velero backup delete, regctl tag delete, crane delete, oras manifest delete, packer
    destroy, vault kv metadata delete, vault kv destroy, vault secrets disable, vault lease revoke, az group delete,
    gcloud projects delete, devpod delete, gh codespace delete, tilt down, devspace purge, garden delete, garden
    cleanup, okteto down, okteto destroy, okteto namespace delete
    """),
    *_remote_changing("""
    terraform apply, terraform import, terraform untaint, terraform force-unlock, terraform state mv, terraform state
    push, terragrunt apply, terragrunt run-all apply, pulumi up, pulumi import, pulumi refresh, pulumi cancel, cdk
    deploy, cdk bootstrap, helm install, helm upgrade, helm rollback, helm push, kubectl apply, kubectl create, kubectl
    scale, kubectl rollout, kubectl edit, kubectl patch, kubectl set, kubectl label, kubectl annotate, kubectl taint,
    kubectl cordon, kubectl uncordon, kubectl expose, kubectl run, kubectl autoscale, kubectl replace, kubectl
    certificate, knife ssh, knife bootstrap, knife upload, puppet, chef-client, chef-solo, fab, bolt, pyinfra,
    mina, kamal, pm2 deploy, serverless deploy, sls deploy, crane push, crane copy, crane tag, skopeo copy, skopeo sync,
    oras push, buildah push, regctl image copy,
    kubeadm, tkn pipeline start, skaffold run, skaffold deploy, helmfile apply, helmfile sync, werf converge, garden
    deploy, waypoint up, fleetctl apply, kapp deploy, ytt deploy, tanka apply, tk apply
    """),
    *(Entry(name, MEDIUM, "Asks about machines that are managed", (name,), kind="contacts", categories=(NETWORK,))
      for name in ("puppet parser validate", "puppet config print", "puppet lookup", "puppet module list",
                   "puppet facts", "puppet describe", "puppet epp validate")),
    Entry("cap", HIGH, "Deploys to servers", ("cap production deploy", "cap -T => low"), kind="contacts",
          categories=(SYSTEM, NETWORK), harmless="-T --tasks -n --dry-run -D --describe --help", clusters=False),
    Entry("terraform fmt", MEDIUM, "Formats configuration", ("terraform fmt -recursive", "terraform fmt -check => low"),
          kind="writes", harmless="-check --check -write=false", clusters=False),
    Entry("cdk synth", MEDIUM, "Runs the project's infrastructure code", ("cdk synth",)),
    Entry("cdk list", MEDIUM, "Runs the project's infrastructure code", ("cdk list", "cdk ls")),
    Entry("pulumi preview", MEDIUM, "Runs the project's infrastructure code", ("pulumi preview",)),
    *(Entry(name, MEDIUM, "Controls a local cluster", (f"{name} start",), kind="runs", categories=())
      for name in ("k3d", "microk8s", "colima", "limactl", "multipass", "docker-machine", "devpod", "devcontainer",
                   "tilt", "garden", "lima")),
    Entry("kubeseal", MEDIUM, "Encrypts a secret", ("kubeseal -f x",), kind="contacts"),
    *(Entry(name, LOW, "Checks manifests", (f"{name} x.yaml",), kind="reads")
      for name in ("hadolint", "yamllint", "kubeval", "kubeconform", "kube-linter", "kube-score", "actionlint",
                   "tflint", "tfsec", "checkov", "dockle", "conftest", "polaris", "datree", "terrascan", "kics",
                   "cfn-lint", "ansible-lint", "spectral", "circleci-lint", "popeye-lint", "helm-docs-lint")),
    *(Entry(name, MEDIUM, "Looks for weak points", (f"{name} x",), kind="contacts", categories=(NETWORK,))
      for name in ("trivy", "grype", "syft", "infracost", "kube-bench", "prowler", "scout", "terraform-docs", "dive",
                   "driftctl", "snyk", "crictl", "ctr", "crane", "oras", "regctl", "helmfile diff", "kompose",
                   "kubectl-neat", "popeye", "kubent", "pluto")),
    Entry("minikube", MEDIUM, "Controls a local cluster", ("minikube start",)),
    Entry("kind", MEDIUM, "Controls a local cluster", ("kind create cluster",)),
    Entry("vagrant", MEDIUM, "Controls virtual machines", ("vagrant up",)),
    *_looking("""
    virsh list, virsh dominfo, virsh domstate, virsh version, virsh net-list, virsh pool-list, virsh vol-list, virsh
    snapshot-list, virsh nodeinfo, virsh domblklist, virsh domiflist, virsh capabilities, lxc list, lxc ls, lxc
    info, lxc version, incus list, incus info, incus version, lxc image list, lxc network list, lxc storage list
    """),
    Entry("virsh", HIGH, "Controls virtual machines", ("virsh start x",), categories=(SYSTEM,)),
    Entry("lxc", HIGH, "Controls containers", ("lxc launch x",), categories=(SYSTEM, PRIVILEGE)),
    Entry("qemu-system-x86_64", MEDIUM, "Runs a virtual machine", ("qemu-system-x86_64 a.img",)),
    Entry("aws configure", HIGH, "Handles access keys", ("aws configure",), kind="writes", categories=(SYSTEM,
          COMPLIANCE)),
    Entry("vault read", HIGH, "Prints secrets", ("vault read secret/x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    *(Entry(f"vault read {path}", MEDIUM, "Asks how secrets are kept", (f"vault read {path}",), kind="contacts",
            categories=(NETWORK,)) for path in ("sys/mounts", "sys/health", "sys/auth", "sys/policy")),
    Entry("vault kv get", HIGH, "Prints secrets", ("vault kv get secret/x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("bao kv get", HIGH, "Prints secrets", ("bao kv get secret/x",), kind="reads",
          categories=("data_exfiltration", NETWORK)),
    Entry("consul kv get", MEDIUM, "Reads settings of a service", ("consul kv get x",), kind="contacts",
          categories=(NETWORK,)),
)  # fmt: skip
